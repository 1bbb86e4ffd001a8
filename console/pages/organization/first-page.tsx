import { Navigate } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { Component as NothingHere } from '../../kit/nothing-here.tsx';
import { isOpen } from '../../kit/place.ts';
import { organizationPlaces } from './places.ts';

/** Redirects "/organization" to its first page that the member may open. */
export function Component() {
  const may = useMay();
  const place = organizationPlaces.find((place) => isOpen(place, may));
  return place ? <Navigate to={place.to} replace /> : <NothingHere />;
}
