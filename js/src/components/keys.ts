// What the keyboard of a notebook asks of a page inside it.

/**
 * JupyterLab 4.6 takes away a line break that is typed anywhere in a cell, since Shift+Enter runs cells; with it goes Enter
 * in a form. It listens on the boxes themselves, so the event is stopped on its way there; the browser still does what it
 * would. Gives what undoes it.
 */
export function keepLineBreaks(around: Element): () => void {
  const stop = (event: Event) => {
    if (event instanceof InputEvent && event.inputType === "insertLineBreak") event.stopPropagation();
  };
  around.addEventListener("beforeinput", stop, { capture: true });
  return () => around.removeEventListener("beforeinput", stop, { capture: true });
}

/** A key that belongs to an input method: some browsers tell it by the flag, some only by the code 229. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
