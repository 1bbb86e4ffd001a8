import { useState } from 'react';
import type { ShownKey } from './shown-key.ts';

/** After a dialog that creates a key, the focus goes to the key; after a canceled one, back to where it came from. */
export function useKeyDialog(onShown: (key: ShownKey) => void) {
  const [returnsFocus, setReturnsFocus] = useState(true);
  return {
    returnsFocus,
    onShown: (key: ShownKey) => {
      setReturnsFocus(false);
      onShown(key);
    },
  };
}
