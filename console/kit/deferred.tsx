import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

interface State<Props> {
  Loaded?: ComponentType<Props>;
  error?: unknown;
}

/**
 * A component that loads its code when it is first shown. Replaces the placeholder at once, whereas React shows the
 * fallback of a `Suspense` for at least 300 ms, even if the code has already arrived.
 */
export function deferred<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  placeholder: ReactNode,
): ComponentType<Props> {
  return function Deferred(props) {
    const [{ Loaded, error }, setState] = useState<State<Props>>({});
    useEffect(() => {
      load().then(
        ({ default: Loaded }) => setState({ Loaded }),
        (error: unknown) => setState({ error }),
      );
    }, []);
    if (error) throw error;
    return Loaded ? <Loaded {...props} /> : placeholder;
  };
}
