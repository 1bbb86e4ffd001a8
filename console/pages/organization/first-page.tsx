import { Navigate } from 'react-router';
import { areas, isOpen } from '../../app/areas.ts';
import { useMay } from '../../app/me.tsx';
import { Component as NothingHere } from '../home/nothing-here.tsx';

/** Redirects "/organization" to its first page that the member may open. */
export function Component() {
  const may = useMay();
  const place = areas.find(({ to }) => to === '/organization')?.within?.find((within) => isOpen(within, may));
  return place ? <Navigate to={place.to} replace /> : <NothingHere />;
}
