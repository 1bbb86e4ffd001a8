import { useSearchParams } from 'react-router';

/** A filter that is stored in a query parameter, so that a link shows the same list. */
export function useFilter(name: string): [string | null, (value: string | null) => void] {
  const [params, setParams] = useSearchParams();
  const set = (value: string | null) =>
    setParams(
      () => {
        // another filter may have changed the URL since the last render
        const after = new URLSearchParams(window.location.search);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: true },
    );
  return [params.get(name), set];
}
