/** Describes to screen readers what GraphiQL leaves out: the names of its editors, and which element is a tab. */
export function describeControls(root: HTMLElement): void {
  new MutationObserver(() => {
    for (const field of root.querySelectorAll('.CodeMirror textarea:not([aria-label])'))
      field.setAttribute('aria-label', field.closest('[aria-label]')?.getAttribute('aria-label') ?? 'Editor');
    // GraphiQL marks the list item as the tab, but the button in it is the control
    for (const item of root.querySelectorAll('li[aria-selected]')) {
      const button = item.querySelector('button[aria-controls]');
      button?.setAttribute('role', 'tab');
      button?.setAttribute('aria-selected', item.getAttribute('aria-selected')!);
      item.setAttribute('role', 'presentation');
      item.removeAttribute('aria-selected');
    }
  }).observe(root, { childList: true, subtree: true, attributeFilter: ['aria-selected'] });
}
