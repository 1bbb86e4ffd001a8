import { Alert, Box, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconEyeOff } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useOutletContext, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useNews } from '../../api/live.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { Arguments } from './arguments.tsx';
import { type Approval, approvalQuery } from './approval-query.ts';
import { Decision } from './decision.tsx';
import { Definition } from './definition.tsx';
import { Earlier } from './earlier.tsx';
import { AskedBy, FactsOfCall } from './facts-of-call.tsx';
import type { Neighbours } from './inbox.tsx';
import { Effect } from './inbox-item.tsx';
import { NotYours, Standing } from './standing.tsx';
import { useLaidOpen } from './use-laid-open.ts';

export function Component() {
  const { id } = useParams();
  // what was opened or begun belongs to one approval
  return <One key={id} id={id!} />;
}

function One({ id }: { id: string }) {
  const [asked, again] = useQuery({ query: approvalQuery, variables: { id } });
  const look = () => again({ requestPolicy: 'network-only' });
  useNews(['approval', 'call'], look);
  return (
    <Loaded asked={asked} again={again}>
      {({ approval }) => <Shown approval={approval} again={look} />}
    </Loaded>
  );
}

function Shown({ approval, again }: { approval: Approval; again(): void }) {
  const { call, state, isOpenToMe } = approval;
  const { goOn } = useOutletContext<Neighbours>();
  const laidOpen = useLaidOpen(call.arguments);
  const heading = useRef<HTMLHeadingElement>(null);
  // what had the focus is gone, with the decision before or with the list: this begins at its top
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Stack gap="md">
      <Paper p="lg">
        <Stack gap="lg">
          <Box>
            <Group gap="sm" mb={4}>
              <Title order={2} ref={heading} tabIndex={-1}>
                <Untrusted text={call.title} />
              </Title>
              <Effect effect={call.effect} />
            </Group>
            <Text size="sm">
              <Code>
                <Untrusted text={call.tool} />
              </Code>{' '}
              requested by <AskedBy approval={approval} />
            </Text>
          </Box>
          <Standing approval={approval} />
          {state === 'pending' && !isOpenToMe && <NotYours approval={approval} />}
          <Warnings approval={approval} />
          <Arguments call={call} laidOpen={laidOpen} />
          <FactsOfCall approval={approval} />
          <Definition call={call} />
          <Earlier approval={approval} />
        </Stack>
      </Paper>
      {isOpenToMe && <Decision approval={approval} laidOpen={laidOpen} onDone={goOn} onRefused={again} />}
    </Stack>
  );
}

const Warnings = ({ approval: { notFourEyes, call } }: { approval: Approval }) => (
  <>
    {call.tainted && (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconAlertTriangle aria-hidden />}
        title="It had read text from outside"
      >
        <Text size="sm">Before it asked, it had read something that an outsider wrote, which may have told it to.</Text>
      </Alert>
    )}
    {notFourEyes && (
      <Alert color="yellow" variant="light" icon={<IconEyeOff aria-hidden />} title="Not four eyes">
        <Text size="sm">Whoever decides asked for this call or answers for it; nobody else looks at it.</Text>
      </Alert>
    )}
  </>
);
