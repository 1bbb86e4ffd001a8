import {
  IconBook2,
  IconBuilding,
  IconChecklist,
  IconCoin,
  IconDevices,
  IconHome,
  IconPlugConnected,
  IconReportAnalytics,
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
  { label: 'Home', to: '/', keywords: 'start overview attention', icon: IconHome },
  {
    label: 'Approvals',
    to: '/approvals',
    keywords: 'decisions inbox',
    icon: IconChecklist,
    permissions: ['approvals:decide'],
  },
  { label: 'Tasks', to: '/tasks', keywords: 'questions requests results', icon: IconSubtask },
  {
    label: 'Agents',
    to: '/agents',
    first: '/agents/capabilities/configurations',
    icon: IconRobot,
    permissions: ['policies:read'],
    within: [
      {
        label: 'Capabilities',
        to: '/agents/capabilities',
        keywords: 'configurations policies approval steps A2A MCP skills',
      },
    ],
  },
  {
    label: 'Integration settings',
    to: '/integrations',
    keywords: 'connections connectors tools credentials sync',
    icon: IconPlugConnected,
    permissions: ['connections:manage'],
  },
  {
    label: 'Knowledge',
    to: '/knowledge',
    keywords: 'documents sources',
    icon: IconBook2,
    permissions: ['knowledge:manage'],
  },
  {
    label: 'Spend',
    to: '/spend',
    keywords: 'cost usage people groups models seats budgets coverage identities',
    first: '/spend/overview',
    icon: IconCoin,
    permissions: ['spend:read'],
  },
  {
    label: 'AI estate',
    to: '/estate',
    keywords: 'findings files servers devices rules advisories',
    first: '/estate/overview',
    icon: IconDevices,
    permissions: ['estate:read'],
  },
  { label: 'Audit', to: '/audit', keywords: 'log events history', icon: IconShieldCheck, permissions: ['audit:read'] },
  {
    label: 'Reports',
    to: '/reports',
    first: '/reports/approvals',
    keywords: 'governance approvals time decisions approvers unused tools policies never matched',
    icon: IconReportAnalytics,
    permissions: ['audit:read'],
  },
  {
    label: 'Organization',
    to: '/organization',
    first: '/organization/members',
    icon: IconBuilding,
    permissions: ['organization:manage', 'members:manage', 'keys:manage'],
    within: organizationPlaces,
  },
];
