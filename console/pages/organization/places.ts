import type { Place } from '../../kit/place.ts';

/** The pages of the area, in the order of the navigation. */
export const organizationPlaces: readonly Place[] = [
  { label: 'Members', to: '/organization/members', permissions: ['members:manage'] },
  { label: 'Groups', to: '/organization/groups', permissions: ['members:manage'] },
  { label: 'Sign-in', to: '/organization/sign-in', permissions: ['organization:manage'] },
  { label: 'Developer Access', to: '/organization/developer-access', permissions: ['organization:manage'] },
  { label: 'Keys and tokens', to: '/organization/keys', permissions: ['keys:manage'] },
  { label: 'Settings', to: '/organization/settings', permissions: ['organization:manage'] },
];
