import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';

/** A link to a page of the source. Other schemes than http(s) are not linked. */
export const WebLink = ({ url, children }: { url: string | null; children: ReactNode }) =>
  isWebAddress(url) ? (
    <Anchor href={url} target="_blank" rel="noreferrer" inherit>
      {children}
    </Anchor>
  ) : (
    children
  );

export const isWebAddress = (url: string | null): url is string => url !== null && /^https?:\/\//.test(url);
