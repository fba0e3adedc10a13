// What a person feels of a page while words stream in: a script for any page that shows an agent.
window.frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/**
 * Types five keys a second into the agent's box, or reads further up, for so many seconds. Gives in milliseconds how long
 * each key took to be drawn, and each frame; in pixels how far the reader's place moved.
 */
window.watch = async (el, seconds, reads) => {
  const box = el.querySelector("textarea");
  const scroll = el.querySelector(".paws-scroll");
  if (reads) {
    scroll.scrollTop = scroll.scrollHeight;
    await frame();
    scroll.scrollTop -= 600;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const place = scroll.scrollTop;
  const keys = [];
  const frames = [];
  let last = performance.now();
  const end = last + 1000 * seconds;
  requestAnimationFrame(function count(now) {
    frames.push(now - last);
    last = now;
    if (now < end) requestAnimationFrame(count);
  });
  while (performance.now() < end) {
    if (!reads) {
      const began = performance.now();
      box.value += "x";
      box.dispatchEvent(new InputEvent("input", { bubbles: true }));
      await frame();
      keys.push(performance.now() - began);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { keys, frames, moved: Math.abs(scroll.scrollTop - place) };
};

/** Bytes of JavaScript objects, without garbage. */
window.heap = () => {
  window.gc?.();
  return performance.memory.usedJSHeapSize;
};
