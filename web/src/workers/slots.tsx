export function Slots({ used, of }: { used: number; of: number }) {
  return (
    <span className="workers-slots">
      <meter min={0} max={of} value={used} aria-label="Slots used" />
      {used} / {of}
    </span>
  )
}
