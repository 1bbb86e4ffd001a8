import type { RouteObject } from 'react-router';

export const organization: RouteObject[] = [
  {
    path: 'organization',
    lazy: () => import('./permission-guard.tsx'),
    children: [
      { index: true, lazy: () => import('./first-page.tsx') },
      { path: 'members', lazy: () => import('./members/members.tsx') },
      { path: 'members/:id', lazy: () => import('./members/member.tsx') },
      { path: 'groups', lazy: () => import('./groups/groups.tsx') },
      { path: 'groups/:id', lazy: () => import('./groups/group.tsx') },
      { path: 'sign-in', lazy: () => import('./sign-in/sign-in.tsx') },
      { path: 'sign-in/new', lazy: () => import('./sign-in/new-provider.tsx') },
      { path: 'sign-in/:id', lazy: () => import('./sign-in/provider.tsx') },
      { path: 'developer-access', lazy: () => import('./developer-access/clients.tsx') },
      { path: 'developer-access/new', lazy: () => import('./developer-access/new-client.tsx') },
      { path: 'developer-access/:id', lazy: () => import('./developer-access/client.tsx') },
      { path: 'developer-access/:id/edit', lazy: () => import('./developer-access/edit-client.tsx') },
      {
        path: 'keys',
        lazy: () => import('./keys/keys.tsx'),
        children: [
          { index: true, lazy: () => import('./keys/tenant-keys.tsx') },
          { path: 'machines', lazy: () => import('./keys/tenant-keys.tsx') },
          { path: 'admin-tokens', lazy: () => import('./keys/admin-tokens.tsx') },
          { path: 'terminals', lazy: () => import('./keys/terminals.tsx') },
        ],
      },
      { path: 'notifications', lazy: () => import('./notifications/notifications.tsx') },
      { path: 'audit-streams', lazy: () => import('./audit-streams/audit-streams.tsx') },
      { path: 'proposed-changes', lazy: () => import('./proposed-changes/proposed-changes.tsx') },
      { path: 'proposed-changes/:id', lazy: () => import('./proposed-changes/proposed-change.tsx') },
      { path: 'settings', lazy: () => import('./settings/settings.tsx') },
    ],
  },
];
