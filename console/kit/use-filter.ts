import { useSearchParams } from 'react-router';

/** What a list is narrowed to, kept in the address, so that a link shows the same. */
export function useFilter(name: string): [string | null, (value: string | null) => void] {
  const [params, setParams] = useSearchParams();
  const set = (value: string | null) =>
    setParams(
      () => {
        // what was set a moment ago stands in the address before it is rendered
        const after = new URLSearchParams(window.location.search);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: true },
    );
  return [params.get(name), set];
}
