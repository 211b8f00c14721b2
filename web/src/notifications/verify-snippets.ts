export interface Snippet {
  id: 'node' | 'python' | 'go'
  label: string
  text: string
}

/** Where the example keeps the secret: another name for each subscription, since each has a secret of its own. */
export const secretVariable = (subscriptionId: string): string =>
  `MILLRACE_WEBHOOK_${subscriptionId.slice(-8).replaceAll(/\W/g, '_').toUpperCase()}`

const nodeText = (id: string): string => `// The secret of subscription ${id}, from the environment.
import { createHmac, timingSafeEqual } from 'node:crypto'

const secret = process.env.${secretVariable(id)}
const key = Buffer.from(secret.slice('whsec_'.length), 'base64')

/** Give it the body as it came, before any parsing. */
export function verify(headers, body) {
  const id = headers['webhook-id'] ?? ''
  const sentAt = headers['webhook-timestamp'] ?? ''
  const fresh = Math.abs(Date.now() / 1000 - Number(sentAt)) <= 300
  const wanted = createHmac('sha256', key).update(\`\${id}.\${sentAt}.\${body}\`).digest()
  const matches = (headers['webhook-signature'] ?? '').split(' ').some((each) => {
    const given = Buffer.from(each.slice('v1,'.length), 'base64')
    return each.startsWith('v1,') && given.length === wanted.length && timingSafeEqual(given, wanted)
  })
  return fresh && matches
}
`

const pythonText = (id: string): string => `# The secret of subscription ${id}, from the environment.
import base64, hashlib, hmac, os, time

secret = os.environ["${secretVariable(id)}"]
key = base64.b64decode(secret.removeprefix("whsec_"))


def verify(headers: dict, body: bytes) -> bool:
    """Give it the body as it came, before any parsing."""
    sent_at = headers["webhook-timestamp"]
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    fresh = abs(time.time() - int(sent_at)) <= 300
    given = headers["webhook-signature"].split(" ")
    return fresh and any(hmac.compare_digest(each, wanted) for each in given)
`

const goText = (id: string): string => `// The secret of subscription ${id}, from the environment.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Verify wants the body as it came, before any parsing.
func Verify(header http.Header, body []byte) bool {
	secret := strings.TrimPrefix(os.Getenv("${secretVariable(id)}"), "whsec_")
	key, err := base64.StdEncoding.DecodeString(secret)
	sentAt, errTime := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || len(key) == 0 || errTime != nil || math.Abs(float64(time.Now().Unix()-sentAt)) > 300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + header.Get("webhook-timestamp") + "."))
	mac.Write(body)
	wanted := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), []byte(wanted)) {
			return true
		}
	}
	return false
}
`

/** How a receiver checks that a webhook is ours, without a library, as Standard Webhooks defines it. */
export const verifySnippets = (subscriptionId: string): readonly Snippet[] => [
  { id: 'node', label: 'Node.js', text: nodeText(subscriptionId) },
  { id: 'python', label: 'Python', text: pythonText(subscriptionId) },
  { id: 'go', label: 'Go', text: goText(subscriptionId) },
]
