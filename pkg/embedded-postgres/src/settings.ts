/** Loopback TCP only: a socket path inside the data dir may be longer than the 107 bytes the system allows. */
const defaults: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] %a ',
  jit: 'off',
  // Without a supervisor nobody reaps it: a client that vanished must not hold a query or a lock.
  client_connection_check_interval: '5s',
  tcp_keepalives_idle: '30',
  // Recovery begins by flushing every file of the cluster, some 1,600: one by one a second and more, at once a third.
  ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
}

export function serverArguments(settings: Record<string, string>): string[] {
  return Object.entries({ ...defaults, ...settings })
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
