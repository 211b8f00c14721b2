import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'

export interface SinkMail {
  from: string
  to: string[]
  /** The message as it was sent: headers, blank line, body. */
  raw: string
}

export interface SmtpSink {
  /** As `MILLRACE_SMTP_URL` wants it. */
  url: string
  port: number
  mails: SinkMail[]
  /** Refuse the next mails with these SMTP codes, one each. */
  refuse(...codes: number[]): void
  close(): Promise<void>
}

async function readAll(stream: SMTPServerDataStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

export async function smtpSink(wantedPort = 0): Promise<SmtpSink> {
  const mails: SinkMail[] = []
  const refusals: number[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      readAll(stream).then((raw) => {
        const code = refusals.shift()
        if (code !== undefined) return done(Object.assign(new Error('refused by script'), { responseCode: code }))
        const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address
        mails.push({ from, to: session.envelope.rcptTo.map((rcpt) => rcpt.address), raw })
        return done()
      }, done)
    },
  })
  server.on('error', () => undefined)
  const listener = server.listen(wantedPort, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    refuse: (...codes) => refusals.push(...codes),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
