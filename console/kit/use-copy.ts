import { useClipboard } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';

/** Copies to the clipboard, and says so if the browser does not permit it: over plain HTTP there is no clipboard. */
export function useCopy() {
  const { copy, copied, error } = useClipboard();
  useEffect(() => {
    if (error)
      notifications.show({
        color: 'red',
        message: 'Not copied: the browser permits this only over HTTPS. Select the text and copy it.',
      });
  }, [error]);
  return { copy, copied };
}
