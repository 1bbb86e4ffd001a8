import { useEffect, useState } from 'react';

/** True after the component was visible for `ms`. Guards against a double click that was meant for the previous content. */
export function useShownFor(ms: number): boolean {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isShown;
}
