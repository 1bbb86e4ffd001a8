/** A control that had the focus, and where it was. */
interface Position {
  control: HTMLElement;
  /** The nearest first. */
  ancestors: Element[];
  /** The dialog that contains it, or the page. */
  layer: Element;
}

const layers = '[role=dialog], [role=alertdialog]';

/**
 * Restores the keyboard focus when its control disappears or is disabled: the button that opened a dialog, a row of a
 * list, the button of a saved form. After a rejected form, moves the focus to the first invalid field. Returns the
 * function that removes the listeners.
 */
export function keepFocus(): () => void {
  const positions: Position[] = []; // one for the page and one for each open dialog, the innermost last
  let submitted: Element | null = null;
  let timer: number | undefined;

  const remember = ({ target }: FocusEvent) => {
    const control = openerOf(target as HTMLElement);
    if (!control) return;
    const layer = control.closest(layers) ?? document.body;
    const known = positions.findIndex((position) => position.layer === layer);
    if (known >= 0) positions.splice(known);
    positions.push({ control, ancestors: ancestorsOf(control), layer });
  };

  const forget = ({ target, relatedTarget }: FocusEvent) => {
    const control = target as HTMLElement;
    if (relatedTarget || !isUsable(control)) return;
    requestAnimationFrame(() => {
      // the person clicked outside the control, which still exists: no focus is intended
      if (isNowhere() && isUsable(control)) positions.length = 0;
    });
  };

  const recover = () => {
    timer = undefined;
    const wrong = submitted?.querySelector<HTMLElement>('[aria-invalid=true]:is(input, textarea, select)');
    if (wrong) {
      submitted = null;
      return wrong.focus();
    }
    if (!isNowhere()) return;
    while (positions.length && !isShown(positions.at(-1)!.layer)) positions.pop();
    const position = positions.at(-1);
    if (position) targetOf(position)?.focus({ preventScroll: true });
  };

  // Mantine's dialogs return the focus after 10 ms
  const schedule = () => (timer ??= window.setTimeout(recover, 50));
  const submit = ({ target }: Event) => (submitted = target as Element);
  const correct = () => (submitted = null);

  const observer = new MutationObserver(schedule);
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled', 'data-loading', 'aria-invalid'],
  });
  document.addEventListener('focusin', remember);
  document.addEventListener('focusout', forget);
  document.addEventListener('submit', submit);
  document.addEventListener('input', correct);
  return () => {
    observer.disconnect();
    window.clearTimeout(timer);
    document.removeEventListener('focusin', remember);
    document.removeEventListener('focusout', forget);
    document.removeEventListener('submit', submit);
    document.removeEventListener('input', correct);
  };
}

/** The control that gets the focus back: of a menu's items, its button. Null for notifications, which disappear. */
function openerOf(control: HTMLElement): HTMLElement | null {
  if (control.closest('.mantine-Notifications-root')) return null;
  const menu = control.closest('[role=menu]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : control;
}

function ancestorsOf(control: Element): Element[] {
  const { parentElement } = control;
  return parentElement ? [parentElement, ...ancestorsOf(parentElement)] : [];
}

const isShown = (element: Element) => element.isConnected && element.checkVisibility({ visibilityProperty: true });
const isUsable = (control: Element) => isShown(control) && !control.matches(':disabled');

function isNowhere(): boolean {
  const { activeElement } = document;
  return !activeElement || activeElement === document.body || activeElement.matches(':disabled');
}

/** The control; its parent if it is disabled; the nearest heading if it is gone. Null while it is loading. */
function targetOf({ control, ancestors }: Position): HTMLElement | null {
  if (isUsable(control)) return control;
  if (isShown(control)) return control.matches('[data-loading]') ? null : focusable(control.parentElement!);
  const heading = ancestors
    .filter(isShown)
    .map((element) => element.querySelector<HTMLElement>('h1, h2, h3'))
    .find((found) => found && isShown(found));
  return heading ? focusable(heading) : null;
}

function focusable<E extends HTMLElement>(element: E): E {
  if (!element.hasAttribute('tabindex')) element.tabIndex = -1;
  return element;
}
