import { type SmtpSink, smtpSink, waitFor } from '@millrace/testkit'

export interface Mailbox {
  /** The raw message sent to an address, once there is one; with `text`, the first that holds it. */
  waitForMail(address: string, text?: string): Promise<string>
  /** Settings of a deployment whose mail comes here. */
  env: Record<string, string>
  close(): Promise<void>
}

export async function ownMailbox(port = 0): Promise<Mailbox> {
  const sink: SmtpSink = await smtpSink(port)
  return {
    env: { MILLRACE_SMTP_URL: sink.url },
    waitForMail: (address, text = '') =>
      waitFor(() => sink.mails.find(({ to, raw }) => to.includes(address) && raw.includes(text))?.raw, {
        timeoutMs: 15_000,
        what: `a mail to ${address}`,
      }),
    close: () => sink.close(),
  }
}

interface MailpitList {
  messages: { ID: string }[]
}

/** The mail catcher of a running deployment. */
export function mailpit(url: string): Mailbox {
  const find = async (address: string): Promise<string | undefined> => {
    const found = await fetch(`${url}/api/v1/search?query=${encodeURIComponent(`to:${address}`)}`)
    const { messages } = (await found.json()) as MailpitList
    const first = messages[0]
    return first && (await (await fetch(`${url}/api/v1/message/${first.ID}/raw`)).text())
  }
  return {
    env: {},
    waitForMail: (address) => waitFor(() => find(address), { timeoutMs: 15_000, what: `a mail to ${address}` }),
    close: async () => undefined,
  }
}
