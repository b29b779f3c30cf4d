/** A link to the page that is shown, such as one that is pressed twice, adds no second entry of it to the history. */
export function stayHere(): void {
  addEventListener(
    'click',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || link.hash || link.href !== location.href) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
}
