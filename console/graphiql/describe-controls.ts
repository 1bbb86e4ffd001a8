/**
 * Describes to screen readers what GraphiQL leaves out: the names of its editors, and which query is open. Its tabs are
 * a list of buttons, because a list of tabs may not contain the buttons that close them.
 */
export function describeControls(root: HTMLElement): void {
  new MutationObserver(() => {
    for (const field of root.querySelectorAll('.CodeMirror textarea:not([aria-label])'))
      field.setAttribute('aria-label', field.closest('[aria-label]')?.getAttribute('aria-label') ?? 'Editor');
    root.querySelector('ul[role=tablist]')?.removeAttribute('role');
    root.querySelector('section[role=tabpanel]')?.setAttribute('role', 'region');
    for (const item of root.querySelectorAll('li[aria-selected]')) {
      const isOpen = item.getAttribute('aria-selected') === 'true';
      item.removeAttribute('role');
      item.removeAttribute('aria-selected');
      item.querySelector('button[aria-controls]')?.setAttribute('aria-current', String(isOpen));
      // on a phone, a new tab is outside of the window
      if (isOpen) item.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }).observe(root, { childList: true, subtree: true, attributeFilter: ['aria-selected'] });
}
