/*
 * Runs in a page. Returns its visible controls that cannot be pressed in an area of 44 × 44 px around their middle, one
 * per line. The label of a control is part of its area. Links within a sentence are exempt (WCAG 2.5.5).
 */
(() => {
  const controls =
    'a[href], button, input, select, textarea, summary, [role=tab], [role=menuitem], [role=option], .mantine-SegmentedControl-label';
  const reach = 21; // half of 44 px, less one for fractions of pixels

  const isInline = (element) => getComputedStyle(element).display === 'inline';

  function isInSentence(control) {
    if (!isInline(control)) return false;
    let block = control.parentElement;
    while (isInline(block)) block = block.parentElement;
    if (!/block|list-item|table-cell/.test(getComputedStyle(block).display)) return false;
    return [...block.childNodes].some(
      (node) =>
        !node.contains(control) &&
        (node instanceof Text || (isInline(node) && !node.matches('a, button') && !node.querySelector('a, button'))) &&
        /\p{L}{2}/u.test(node.textContent),
    );
  }

  /** What can be pressed instead of the control: its label, or the frame of a field that holds selected values. */
  function areaOf(control) {
    const isText = control.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=file])');
    const others = isText
      ? [control.closest('.mantine-Input-wrapper:has(.mantine-PillsInputField-field)')]
      : [...(control.labels ?? []), control.closest('label')];
    return [control, ...others.filter(Boolean)];
  }

  function isSmall(control) {
    const area = areaOf(control);
    const isHit = (x, y) => {
      const hit = document.elementFromPoint(x, y);
      return !hit || area.some((part) => part.contains(hit));
    };
    return area.every((part) => {
      part.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const { left, top, width, height } = part.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      return [-reach, reach].some((by) => !isHit(x + by, y) || !isHit(x, y + by));
    });
  }

  const isShown = (control) =>
    control.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !control.matches('[disabled], [type=hidden], .skip, [aria-hidden=true] *, .CodeMirror *') &&
    control.getBoundingClientRect().width > 1;

  // an open dialog or menu covers the rest
  const top = [...document.querySelectorAll('[aria-modal=true], [role=menu]')].findLast((one) => one.checkVisibility());

  return [...(top ?? document).querySelectorAll(controls)]
    .filter((control) => isShown(control) && !isInSentence(control) && isSmall(control))
    .map((control) => {
      const { width, height } = control.getBoundingClientRect();
      return `touch target of ${Math.round(width)} × ${Math.round(height)} px: ${control.outerHTML.slice(0, 200)}`;
    });
})();
