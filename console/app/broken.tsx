import { Button, Code, Stack, Text, Title } from '@mantine/core';
import { useRouteError } from 'react-router';

/** A page that could not be shown: its file is gone after an update, or it has a fault. */
export function Broken() {
  const error = useRouteError();
  const isGone = error instanceof TypeError && /dynamically imported module/.test(error.message);
  return (
    <Stack maw="36rem" mx="auto" mt="xl" role="alert">
      <Title order={1}>{isGone ? 'There is a new version' : 'This page could not be shown'}</Title>
      <Text>
        {isGone
          ? 'The server was updated since this page was opened.'
          : 'Nothing was changed by this. Load the page again; if it stays like this, tell who runs this server.'}
      </Text>
      {!isGone && error instanceof Error && <Code block>{error.message}</Code>}
      <div>
        <Button onClick={() => location.reload()}>Load again</Button>
      </div>
    </Stack>
  );
}
