import { useEffect, useState } from 'react';

/** True once something has been on the screen for so long: the second press of a double click was meant for what stood there before. */
export function useShownFor(ms: number): boolean {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isShown;
}
