import { ActionIcon, Button, Kbd, Modal, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { deferred } from '../../kit/deferred.tsx';

const SearchPanel = deferred(() => import('./search-panel.tsx'), <Text role="status">Loading…</Text>);

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** On a Mac, Ctrl+K deletes the rest of a line. */
const isShortcut = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) =>
  /^k$/i.test(key) && (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey && !shiftKey;

/** The button in the header, the keyboard shortcut, and the dialog that both open. */
export function SearchControl() {
  const [isOpened, setOpened] = useState(false);
  const opener = useRef<Element | null>(null);
  const open = () => {
    opener.current = document.activeElement;
    setOpened(true);
  };
  const closeTo = (next: Element | null) => {
    setOpened(false);
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  };
  const close = () => closeTo(opener.current);
  useWindowEvent('keydown', (event) => {
    // another dialog keeps the keyboard, and its unsaved input
    if (!isShortcut(event) || (!isOpened && document.querySelector('[aria-modal=true]'))) return;
    event.preventDefault();
    if (isOpened) close();
    else open();
  });
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        size="xs"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {isMac ? '⌘K' : 'Ctrl K'}
          </Kbd>
        }
        aria-haspopup="dialog"
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
        onClick={open}
      >
        Search
      </Button>
      <ActionIcon
        hiddenFrom="sm"
        variant="subtle"
        color="gray"
        size={44}
        aria-label="Search"
        aria-haspopup="dialog"
        onClick={open}
      >
        <IconSearch size={20} />
      </ActionIcon>
      <Modal
        opened={isOpened}
        onClose={close}
        title="Search"
        size="lg"
        centered={false}
        yOffset="clamp(0.5rem, 10dvh, 6rem)"
        // the panel may load after the dialog has opened, and a chosen page gets the focus
        returnFocus={false}
      >
        <SearchPanel onChosen={() => closeTo(document.getElementById('main'))} />
      </Modal>
    </>
  );
}
