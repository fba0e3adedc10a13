/** A key that belongs to an input method: some browsers tell it by the flag, some only by the code 229. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
