import { Grid, Stack } from '@mantine/core';
import { useMe } from '../../app/me.tsx';
import { Page } from '../../kit/page.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { QuarantinedJobs } from '../../kit/quarantined-jobs.tsx';
import { visible } from '../../kit/visible.ts';
import { Amiss, hasAmiss } from './amiss.tsx';
import { Calm } from './calm.tsx';
import { Decisions, openToMe } from './decisions.tsx';
import { SpendSoFar } from './spend-so-far.tsx';
import { Tasks, troubled } from './tasks.tsx';
import { useToday } from './today.ts';
import { isNew, SetUpOn } from './set-up-on.tsx';

/** What needs this person's attention. */
export function Component() {
  const { member } = useMe();
  const [asked, again] = useToday();
  return (
    <Page title={`Welcome back, ${visible(member.name)}`} lead="Here's what needs your attention.">
      <QuarantinedJobs />
      <Loaded asked={asked} again={again}>
        {(today) => {
          const nothing = !openToMe(today).length && !troubled(today).length && !hasAmiss(today);
          return (
            <>
              {isNew(today) && <SetUpOn />}
              <Grid gap="lg">
                <Grid.Col span={{ base: 12, md: 8 }}>
                  <Stack gap={0}>
                    {nothing && <Calm />}
                    <Decisions of={today} />
                    <Tasks of={today} />
                  </Stack>
                </Grid.Col>
                <Grid.Col span={{ base: 12, md: 4 }}>
                  <Amiss of={today} />
                  <SpendSoFar of={today} />
                </Grid.Col>
              </Grid>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
