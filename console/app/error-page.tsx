import { Button, Code, Stack, Text, Title } from '@mantine/core';
import { useRouteError } from 'react-router';

/** Messages of Chromium, Firefox, Safari and Vite's preload helper. */
const notLoaded = /dynamically imported module|module script|preload CSS/i;

/** Shown instead of a page whose code is gone after an update, or that threw an error. */
export function ErrorPage() {
  const error = useRouteError();
  const isGone = error instanceof Error && notLoaded.test(error.message);
  return (
    <Stack maw="36rem" mx="auto" mt="xl" role="alert">
      <Title order={1}>{isGone ? 'New version available' : 'This page could not be loaded'}</Title>
      <Text>
        {isGone
          ? 'The server was updated after you opened this page. Reload the page to use the new version.'
          : 'Your data was not changed. Reload the page. If the error persists, contact the operator of this server.'}
      </Text>
      {!isGone && error instanceof Error && <Code block>{error.message}</Code>}
      <div>
        <Button onClick={() => location.reload()}>Reload page</Button>
      </div>
    </Stack>
  );
}
