import { useEffect, useState } from 'react';

/** True after the component was visible for `ms`. Guards against a double click that was meant for the previous content. */
export function useVisibleFor(ms: number): boolean {
  const [isVisible, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isVisible;
}
