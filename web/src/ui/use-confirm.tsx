import { type ReactNode, useState } from 'react'
import { Confirm } from './dialog'

interface Question {
  title: string
  text: ReactNode
  action: string
  onConfirm: () => void
}

/** Asks before what cannot be taken back. Returns the asking function, and the dialog to render. */
export function useConfirm(): [(question: Question) => void, ReactNode] {
  const [question, setQuestion] = useState<Question>()
  const close = () => setQuestion(undefined)
  const dialog = question && (
    <Confirm
      title={question.title}
      action={question.action}
      danger
      onClose={close}
      onConfirm={() => {
        close()
        question.onConfirm()
      }}
    >
      <p>{question.text}</p>
    </Confirm>
  )
  return [setQuestion, dialog]
}
