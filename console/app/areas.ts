import {
  IconBook2,
  IconBuilding,
  IconChecklist,
  IconCoin,
  IconDevices,
  IconHome,
  IconPlugConnected,
  IconRobot,
  IconShieldCheck,
  IconSubtask,
  type Icon,
} from '@tabler/icons-react';
import type { Place } from '../kit/place.ts';
import { organizationPlaces } from '../pages/organization/places.ts';

export interface Area extends Place {
  icon: Icon;
  /** The page that `to` redirects to. */
  first?: string;
  within?: readonly Place[];
}

/** Navigation, in the order of a working day. */
export const areas: readonly Area[] = [
  { label: 'Home', to: '/', icon: IconHome },
  { label: 'Approvals', to: '/approvals', icon: IconChecklist, permissions: ['approvals:decide'] },
  { label: 'Tasks', to: '/tasks', icon: IconSubtask },
  {
    label: 'Agents',
    to: '/agents',
    first: '/agents/capabilities/configurations',
    icon: IconRobot,
    permissions: ['policies:read'],
    within: [{ label: 'Capabilities', to: '/agents/capabilities' }],
  },
  {
    label: 'Integration settings',
    to: '/integrations',
    icon: IconPlugConnected,
    permissions: ['connections:manage'],
  },
  { label: 'Knowledge', to: '/knowledge', icon: IconBook2, permissions: ['knowledge:manage'] },
  { label: 'Spend', to: '/spend', first: '/spend/overview', icon: IconCoin, permissions: ['spend:read'] },
  { label: 'AI estate', to: '/estate', first: '/estate/overview', icon: IconDevices, permissions: ['estate:read'] },
  { label: 'Audit', to: '/audit', icon: IconShieldCheck, permissions: ['audit:read'] },
  {
    label: 'Organization',
    to: '/organization',
    first: '/organization/members',
    icon: IconBuilding,
    permissions: ['organization:manage', 'members:manage', 'keys:manage'],
    within: organizationPlaces,
  },
];
