import type { Place } from '../../kit/place.ts';

/** The pages of the area, in the order of the navigation. */
export const organizationPlaces: readonly Place[] = [
  {
    label: 'Members',
    keywords: 'people users invite roles',
    to: '/organization/members',
    permissions: ['members:manage'],
  },
  { label: 'Groups', keywords: 'teams', to: '/organization/groups', permissions: ['members:manage'] },
  {
    label: 'Sign-in',
    keywords: 'login providers passwords SSO OIDC',
    to: '/organization/sign-in',
    permissions: ['organization:manage'],
  },
  {
    label: 'Developer Access',
    keywords: 'products clients OAuth',
    to: '/organization/developer-access',
    permissions: ['organization:manage'],
  },
  {
    label: 'Keys and tokens',
    keywords: 'API machines administration terminals command line devices',
    to: '/organization/keys',
    permissions: ['keys:manage'],
  },
  {
    label: 'Notifications',
    keywords: 'email Slack Teams webhook channels',
    to: '/organization/notifications',
    permissions: ['organization:manage'],
  },
  {
    label: 'Audit streams',
    keywords: 'SIEM export OTLP OpenTelemetry syslog Splunk Elastic Datadog webhook',
    to: '/organization/audit-streams',
    permissions: ['organization:manage'],
  },
  {
    label: 'Proposed changes',
    keywords: 'two-person administration second administrator confirm',
    to: '/organization/proposed-changes',
    permissions: ['organization:manage'],
  },
  { label: 'Settings', keywords: 'name pause', to: '/organization/settings', permissions: ['organization:manage'] },
];
