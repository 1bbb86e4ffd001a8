import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { use } from 'react';
import { Link } from 'react-router';
import type { Problem } from '../api/problem.ts';
import { Empty } from './empty.tsx';
import { Page, WithinPage } from './page.tsx';

/** The record does not exist or is not visible, or the address contains something else than an id. */
export const isNotFound = ({ code, errors }: Problem): boolean =>
  /(^|-)not-found$/.test(code) || (errors.length > 0 && errors.every(({ detail }) => /must be a UUID$/.test(detail)));

const title = 'Page not found';

/** A page, or a part of the page that it is on. */
export function NotFoundPage() {
  if (use(WithinPage)) return <NotFound title={title} />;
  return (
    <Page title={title}>
      <NotFound title="This page doesn't exist" />
    </Page>
  );
}

const NotFound = ({ title }: { title: string }) => (
  <Empty
    icon={IconMapOff}
    title={title}
    action={
      <Button component={Link} to="/" variant="light" size="md">
        Go to Home
      </Button>
    }
  >
    It may have been removed, or the link is incomplete.
  </Empty>
);
