import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { copyText } from '../ui/copy'
import { Tabs } from '../ui/tabs'
import { secretVariable, verifySnippets } from './verify-snippets'

/** For whoever receives the webhook: how to know that it is ours. */
export function VerifySignature({ id }: { id: string }) {
  const [search, change] = useSearchState()
  const snippets = verifySnippets(id)
  const snippet = snippets.find((each) => each.id === search.language) ?? snippets[0]
  if (!snippet) return null
  return (
    <section className="notifications-verify" aria-label="Verify the signature">
      <p>
        Every request is signed as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> define it. Put the
        secret of this subscription into <code>{secretVariable(id)}</code>, verify before you parse, and answer with a
        status below 300 once you have stored it. <code>webhook-id</code> is the same for every attempt: use it to leave
        out what you have already seen.
      </p>
      <Tabs
        label="Language"
        items={snippets}
        selected={snippet.id}
        onSelect={(language) => change({ language: language === 'node' ? undefined : language })}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, so the keyboard must reach it */}
      <pre className="json notifications-code" tabIndex={0}>
        {snippet.text}
      </pre>
      <div>
        <Button icon="copy" onClick={() => void copyText(snippet.text, 'The example is copied')}>
          Copy
        </Button>
      </div>
    </section>
  )
}
