import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { createSmtpMailer } from '@millrace/mailer'
import { mailerContract } from '@millrace/mailer/contract'
import { freePort, smtpSink } from '@millrace/testkit'
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
