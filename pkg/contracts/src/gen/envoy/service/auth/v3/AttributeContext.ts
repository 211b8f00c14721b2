// Original file: proto/envoy/service/auth/v3/external_auth.proto

import type { Address as _envoy_service_auth_v3_Address, Address__Output as _envoy_service_auth_v3_Address__Output } from '../../../../envoy/service/auth/v3/Address.js';
import type { Long } from '@grpc/proto-loader';

export interface _envoy_service_auth_v3_AttributeContext_HttpRequest {
  'id'?: (string);
  'method'?: (string);
  'headers'?: ({[key: string]: string});
  'path'?: (string);
  'host'?: (string);
  'scheme'?: (string);
  'query'?: (string);
  'fragment'?: (string);
  'size'?: (number | string | Long);
  'protocol'?: (string);
  'body'?: (string);
  'rawBody'?: (Buffer | Uint8Array | string);
}

export interface _envoy_service_auth_v3_AttributeContext_HttpRequest__Output {
  'id': (string);
  'method': (string);
  'headers': ({[key: string]: string});
  'path': (string);
  'host': (string);
  'scheme': (string);
  'query': (string);
  'fragment': (string);
  'size': (number);
  'protocol': (string);
  'body': (string);
  'rawBody': (Buffer);
}

export interface _envoy_service_auth_v3_AttributeContext_Peer {
  'address'?: (_envoy_service_auth_v3_Address | null);
  'service'?: (string);
  'labels'?: ({[key: string]: string});
  'principal'?: (string);
  'certificate'?: (string);
}

export interface _envoy_service_auth_v3_AttributeContext_Peer__Output {
  'address': (_envoy_service_auth_v3_Address__Output | null);
  'service': (string);
  'labels': ({[key: string]: string});
  'principal': (string);
  'certificate': (string);
}

export interface _envoy_service_auth_v3_AttributeContext_Request {
  'http'?: (_envoy_service_auth_v3_AttributeContext_HttpRequest | null);
}

export interface _envoy_service_auth_v3_AttributeContext_Request__Output {
  'http': (_envoy_service_auth_v3_AttributeContext_HttpRequest__Output | null);
}

export interface AttributeContext {
  'source'?: (_envoy_service_auth_v3_AttributeContext_Peer | null);
  'destination'?: (_envoy_service_auth_v3_AttributeContext_Peer | null);
  'request'?: (_envoy_service_auth_v3_AttributeContext_Request | null);
  'contextExtensions'?: ({[key: string]: string});
}

export interface AttributeContext__Output {
  'source': (_envoy_service_auth_v3_AttributeContext_Peer__Output | null);
  'destination': (_envoy_service_auth_v3_AttributeContext_Peer__Output | null);
  'request': (_envoy_service_auth_v3_AttributeContext_Request__Output | null);
  'contextExtensions': ({[key: string]: string});
}
