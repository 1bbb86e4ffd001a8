import { Button, Code, Stack, Text, Title } from '@mantine/core';
import { useRouteError } from 'react-router';

/** As Chromium, Firefox and Safari say it, and as the build's own loader of styles does. */
const notLoaded = /dynamically imported module|module script|preload CSS/i;

/** A page that could not be shown: its file is gone after an update, or it has a fault. */
export function Broken() {
  const error = useRouteError();
  const isGone = error instanceof Error && notLoaded.test(error.message);
  return (
    <Stack maw="36rem" mx="auto" mt="xl" role="alert">
      <Title order={1}>{isGone ? 'There is a new version' : 'This page could not be shown'}</Title>
      <Text>
        {isGone
          ? 'The server was updated since this page was opened, and has no more of what was there before.'
          : 'Nothing was changed by this. Load the page again; if it stays like this, tell who runs this server.'}
      </Text>
      {!isGone && error instanceof Error && <Code block>{error.message}</Code>}
      <div>
        <Button onClick={() => location.reload()}>Load again</Button>
      </div>
    </Stack>
  );
}
