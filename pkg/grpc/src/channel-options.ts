import type { ChannelOptions } from '@grpc/grpc-js'

/** 8 MiB of a user's value and room for what surrounds it. */
const maxMessageBytes = 8 * 1024 * 1024 + 256 * 1024

export const channelLimits: ChannelOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': maxMessageBytes,
}

/** Finds a peer that vanished without closing, which long polls and quiet streams would otherwise wait on for ever. */
export const keepalive: ChannelOptions = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.keepalive_permit_without_calls': 1,
}

/**
 * Counters that nobody reads, and a retry buffer for a policy that nobody configures: callers retry by themselves. For
 * clients only: a server without channelz does not know its sessions, and a forced shutdown would cut none of them.
 */
export const lean: ChannelOptions = {
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
}

/** The library's own 1 s to 2 min would keep services apart long after a restart. */
export const reconnect: ChannelOptions = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
}

/** How a client uses several replicas; one that is gone is left out until it answers again. */
export type Replicas = 'in-turn' | 'first-that-answers'

const policies: Record<Replicas, ChannelOptions> = {
  'in-turn': { 'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }) },
  'first-that-answers': { 'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ pick_first: {} }] }) },
}

/** One address is a name to look up; several, with commas between, are IP addresses of replicas. */
export function targetOf(address: string, replicas: Replicas): { target: string; options: ChannelOptions } {
  if (!address.includes(',')) return { target: address, options: {} }
  return { target: `${address.startsWith('[') ? 'ipv6' : 'ipv4'}:${address}`, options: policies[replicas] }
}
