import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { createSmtpMailer } from '@millrace/mailer'
import { mailerContract } from '@millrace/mailer/contract'
import { freePort, smtpSink, waitFor } from '@millrace/testkit'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it } from 'vitest'

mailerContract('smtp', async () => {
  const sink = await smtpSink()
  return {
    mailer: createSmtpMailer(sink.url),
    received: async () => sink.mails.map((mail) => mail.raw),
    close: () => sink.close(),
  }
})

const mail = { to: ['a@example.com'], subject: 'x', text: 'x' }

async function rawServer(
  onSocket: (socket: Socket) => void,
): Promise<{ url: string; sockets: Socket[]; server: Server }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, server }
}

describe('smtp mailer', () => {
  it('names each recipient in the envelope and nobody else', async () => {
    const sink = await smtpSink()
    const mailer = createSmtpMailer(sink.url, { from: 'Ops <ops@example.com>' })
    await mailer.send({ to: ['a@example.com', 'b@example.com'], subject: 'x\r\nBcc: c@example.com', text: 'x' })
    expect(sink.mails).toMatchObject([{ from: 'ops@example.com', to: ['a@example.com', 'b@example.com'] }])
    await sink.close()
  })

  it('tells a refusal for good from one worth another try', async () => {
    const sink = await smtpSink()
    sink.refuse(550, 451)
    const mailer = createSmtpMailer(sink.url)
    await expect(mailer.send(mail)).rejects.toMatchObject({ reason: 'mail_rejected', retryable: false })
    await expect(mailer.send(mail)).rejects.toMatchObject({ reason: 'mail_unavailable', retryable: true })
    await mailer.send(mail)
    expect(sink.mails).toHaveLength(1)
    await sink.close()
  })

  it('says that nobody listens', async () => {
    const mailer = createSmtpMailer(`smtp://127.0.0.1:${await freePort()}`)
    await expect(mailer.send(mail)).rejects.toMatchObject({ reason: 'mail_unavailable', retryable: true })
  })

  it('gives up on a server that never greets, and closes the connection', async () => {
    const { url, sockets, server } = await rawServer(() => undefined)
    const started = performance.now()
    await expect(createSmtpMailer(url, { timeoutMs: 200 }).send(mail)).rejects.toMatchObject({ reason: 'mail_timeout' })
    expect(performance.now() - started).toBeLessThan(2000)
    await new Promise<void>((resolve) => server.close(() => resolve()))
    expect(sockets).toHaveLength(1)
  })

  it('gives up on a server that trickles for ever', async () => {
    const { url, server } = await rawServer((socket) => {
      socket.write('220 slow\r\n')
      socket.on('data', () => undefined)
      const timer = setInterval(() => socket.write('250-still here\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const started = performance.now()
    await expect(createSmtpMailer(url, { timeoutMs: 300 }).send(mail)).rejects.toMatchObject({ reason: 'mail_timeout' })
    expect(performance.now() - started).toBeLessThan(2000)
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })

  it('lets go at once when its caller does', async () => {
    const { url, sockets, server } = await rawServer((socket) => socket.resume().write('220 hello\r\n'))
    const caller = new AbortController()
    const sending = createSmtpMailer(url).send(mail, { signal: caller.signal })
    await waitFor(() => sockets.length === 1)
    caller.abort()
    await expect(sending).rejects.toMatchObject({ reason: 'mail_cancelled' })
    await new Promise<void>((resolve) => server.close(() => resolve()))
    await expect(createSmtpMailer(url).send(mail, { signal: caller.signal })).rejects.toMatchObject({
      reason: 'mail_cancelled',
    })
  })

  it.each([
    ['smtps', { secure: true }],
    ['smtp', { secure: false }],
  ])('logs in over %s only once the connection is encrypted', async (scheme, { secure }) => {
    const logins: { user: string | undefined; secure: boolean }[] = []
    const server = new SMTPServer({
      secure,
      onAuth(auth, session, done) {
        logins.push({ user: auth.username, secure: session.secure })
        done(auth.password === 'right' ? null : new Error('no'), { user: auth.username })
      },
      onData: (stream, _, done) => stream.on('end', () => done()).resume(),
    })
    server.on('error', () => undefined)
    const listener = server.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const url = (password: string) => `${scheme}://u:${password}@127.0.0.1:${port}?tls.rejectUnauthorized=false`
    await createSmtpMailer(url('right')).send(mail)
    await expect(createSmtpMailer(url('wrong')).send(mail)).rejects.toMatchObject({ reason: 'mail_unavailable' })
    expect(logins[0]).toEqual({ user: 'u', secure: true })
    expect(logins.every((login) => login.secure)).toBe(true)
    const strict = createSmtpMailer(url('right').replace('?tls.rejectUnauthorized=false', ''))
    await expect(strict.send(mail)).rejects.toMatchObject({ reason: 'mail_unavailable' })
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })

  it('never names the password in its error', async () => {
    const { url, server } = await rawServer((socket) => socket.end('554 no\r\n'))
    const secret = url.replace('smtp://', 'smtp://user:hunter22@')
    const failure = await createSmtpMailer(secret)
      .send(mail)
      .catch((error: Error) => error)
    expect(String(failure)).not.toContain('hunter22')
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })

  it.each(['http://127.0.0.1:25', 'not a url', 'smtp://'])('refuses the address %j', (url) => {
    expect(() => createSmtpMailer(url)).toThrow(TypeError)
  })
})
