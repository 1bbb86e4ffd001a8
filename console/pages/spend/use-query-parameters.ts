import { useSearchParams } from 'react-router';

/** Updates single query parameters and keeps the others. */
export function useQueryParameters() {
  const [params, setParams] = useSearchParams();
  const change = (values: Record<string, string | readonly string[] | null>) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(values)) {
          after.delete(name);
          for (const each of value === null ? [] : [value].flat()) after.append(name, each);
        }
        return after;
      },
      { replace: true },
    );
  return { params, change };
}
