import { Grid, NavLink, Progress as Bar, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconLock, IconMinus } from '@tabler/icons-react';
import { Link, Outlet, useLocation } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { useMay } from '../../kit/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import {
  type SetupProgress,
  progressOf,
  progressQuery,
  steps,
  type SetupContext,
  type SetupStep,
} from './setup-progress.ts';

const requiredPermissions = ['members:manage', 'connections:manage', 'configurations:manage', 'keys:manage'];

/** The guided setup. A person can leave at any step and continue later. */
export function Component() {
  const may = useMay();
  return (
    <Page title="Welcome" lead="Set up your organization and run a first task in a few minutes.">
      {requiredPermissions.every(may) ? (
        <Steps />
      ) : (
        <Empty icon={IconLock} title="Only administrators can set up the organization">
          Ask an administrator if you need something set up.
        </Empty>
      )}
    </Page>
  );
}

function Steps() {
  const [result, refetchQuery] = useQuery({ query: progressQuery });
  const refetch = () => refetchQuery({ requestPolicy: 'network-only' });
  useChangeEvents(['organization', 'connection', 'source', 'configuration', 'task'], refetch);
  return (
    <Loaded result={result} refetch={refetchQuery}>
      {(data) => {
        const progress = progressOf(data);
        return (
          <Grid gap="xl">
            <Grid.Col span={{ base: 12, md: 3 }}>
              <StepList progress={progress} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 9 }}>
              <Outlet context={{ progress, refetch } satisfies SetupContext} />
            </Grid.Col>
          </Grid>
        );
      }}
    </Loaded>
  );
}

function StepList({ progress }: { progress: SetupProgress }) {
  const { pathname } = useLocation();
  const done = steps.filter(({ isDone }) => isDone(progress)).length + 1;
  return (
    <nav aria-label="Steps">
      <Text size="sm" c="dimmed" mb="xs" className="figures">
        {done} of {steps.length + 1} done
      </Text>
      <Bar value={(done / (steps.length + 1)) * 100} size="sm" mb="sm" aria-label="Setup progress" />
      <NavLink
        component="div"
        label="Organization and administrator"
        leftSection={<StepMark number={1} state="done" />}
      />
      {steps.map((step, at) => {
        const { path, label } = step;
        const isHere = pathname === `/welcome/${path}`;
        const state = stateOf(step, progress);
        return (
          <NavLink
            key={path}
            component={Link}
            to={`/welcome/${path}`}
            label={label}
            description={state === 'skipped' ? 'Skipped' : step.hint?.(progress)}
            active={isHere}
            aria-current={isHere ? 'step' : undefined}
            leftSection={<StepMark number={at + 2} state={state} />}
          />
        );
      })}
    </nav>
  );
}

type StepState = 'done' | 'skipped' | 'open';

function stateOf(step: SetupStep, progress: SetupProgress): StepState {
  if (step.isDone(progress)) return 'done';
  return step.isSkipped(progress) ? 'skipped' : 'open';
}

const StepMark = ({ number, state }: { number: number; state: StepState }) => (
  <ThemeIcon variant={state === 'done' ? 'filled' : 'default'} size={24} radius="xl">
    {state === 'done' && (
      <>
        <IconCheck size={14} aria-hidden />
        <VisuallyHidden>Done:</VisuallyHidden>
      </>
    )}
    {state === 'skipped' && <IconMinus size={14} aria-hidden />}
    {state === 'open' && (
      <Text size="xs" className="figures">
        {number}
      </Text>
    )}
  </ThemeIcon>
);
