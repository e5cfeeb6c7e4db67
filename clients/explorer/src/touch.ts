/** What a finger needs, and does: fingers that go up or down over a brush mean to scroll the page: the brush does not get to see them. */

/** How many pixels a finger needs. */
export const FINGER = 44;

/** Keep upright strokes from what is within an element; return whether the last stroke was one. */
export function letScroll(element: Element): () => boolean {
  let begun: Touch | null = null;
  let upright = false;
  const options = { capture: true, passive: true };
  const start = (event: TouchEvent) => {
    begun = event.touches[0];
    upright = false;
  };
  const move = (event: TouchEvent) => {
    const [now] = event.touches;
    if (begun) upright = Math.abs(now.clientY - begun.clientY) > Math.abs(now.clientX - begun.clientX);
    begun = null; // the first move decides
    if (upright) event.stopPropagation();
  };
  element.addEventListener("touchstart", start as EventListener, options);
  element.addEventListener("touchmove", move as EventListener, options);
  return () => upright;
}
