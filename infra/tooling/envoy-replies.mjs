// What Envoy answers by itself, in the words and with the headers of the Node gateway.

const problem = (status, title, code, detail, requestId = '%REQ(X-REQUEST-ID)%') => ({
  content_type: 'application/problem+json',
  json_format: {
    type: `urn:millrace:problem:${code}`,
    title,
    status,
    detail,
    code,
    requestId,
  },
})

const statusFilter = (op, status) => ({
  status_code_filter: { comparison: { op, value: { default_value: status, runtime_key: `problem_${status}` } } },
})
const statusIs = (status) => statusFilter('EQ', status)

const headerIfAbsent = ([key, value]) => ({ header: { key, value }, append_action: 'ADD_IF_ABSENT' })

// On every answer of the gateway's own; services send theirs.
const securityHeaders = Object.entries({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}).map(headerIfAbsent)

// ext_authz failed, or IAM said that it cannot tell: not the service's fault.
const authorizationFailed = {
  filter: { and_filter: { filters: [statusIs(503), { response_flag_filter: { flags: ['UAEX'] } }] } },
  body_format_override: problem(
    503,
    'Service Unavailable',
    'authorization_unavailable',
    'Identities cannot be checked right now.',
  ),
}

// What the gateway says by itself. A denial by IAM carries its own problem, so 401, 403, 404 and 429 are not here.
const byStatus = [
  [400, 'Bad Request', 'malformed_request', 'The request is malformed.'],
  [408, 'Request Timeout', 'request_timeout', 'The request took too long to arrive.'],
  [413, 'Payload Too Large', 'body_too_large', 'The request body is too large.'],
  [431, 'Request Header Fields Too Large', 'headers_too_large', 'The request headers are too large.'],
  [502, 'Bad Gateway', 'upstream_unavailable', 'The service is not available right now.'],
  [503, 'Service Unavailable', 'upstream_unavailable', 'The service is not available right now.'],
  [504, 'Gateway Timeout', 'upstream_timeout', 'The service did not answer in time.'],
].map(([status, title, code, detail]) => ({
  filter: statusIs(status),
  // What cannot be parsed is refused before it has the id that others have.
  body_format_override: problem(status, title, code, detail, [400, 431].includes(status) ? '%UNIQUE_ID%' : undefined),
}))

// Headers that are too many only once IAM's are added to them: Envoy takes that for its own fault.
const tooManyWithIdentity = {
  filter: statusIs(500),
  status_code: 431,
  body_format_override: problem(
    431,
    'Request Header Fields Too Large',
    'headers_too_large',
    'The request headers are too large.',
  ),
}

const denials = { filter: statusFilter('GE', 400) }

export const localReplies = {
  mappers: [authorizationFailed, tooManyWithIdentity, ...byStatus, denials].map((mapper) => ({
    ...mapper,
    headers_to_add: securityHeaders,
  })),
}
