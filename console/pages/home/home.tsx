import { Grid, Stack } from '@mantine/core';
import { useMe } from '../../kit/me.tsx';
import { Page } from '../../kit/page.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { QuarantinedJobs } from '../../kit/quarantined-jobs.tsx';
import { visible } from '../../kit/visible.ts';
import { Issues, hasIssues } from './issues.tsx';
import { GovernanceTasks, hasGovernanceTasks } from './governance-tasks.tsx';
import { EmptyState } from './empty-state.tsx';
import { PendingApprovals } from './pending-approvals.tsx';
import { OverrunBudgets, overrunBudgets } from './overrun-budgets.tsx';
import { hasProposals, PermitSuggestions } from './permit-suggestions.tsx';
import { RecentActivity } from './recent-activity.tsx';
import { hasSpend, MonthlySpend } from './monthly-spend.tsx';
import { Tasks, tasksNeedingAttention } from './tasks.tsx';
import { useHomeData } from './home-query.ts';
import { SetupPrompt } from './setup-prompt.tsx';

/** What needs this person's attention. */
export function Component() {
  const { member } = useMe();
  const [result, refetch] = useHomeData();
  return (
    <Page title={`Welcome back, ${visible(member.name)}`} lead="Here's what needs your attention.">
      <QuarantinedJobs />
      <Loaded result={result} refetch={refetch}>
        {(data) => {
          const isAllClear =
            !data.approvalsToDecide.totalCount &&
            !hasGovernanceTasks(data) &&
            !tasksNeedingAttention(data).length &&
            !hasIssues(data);
          const hasAside = hasIssues(data) || hasProposals(data) || overrunBudgets(data).length > 0 || hasSpend(data);
          return (
            <>
              <SetupPrompt of={data} />
              <Grid gap="lg">
                <Grid.Col span={{ base: 12, md: hasAside ? 8 : 12 }}>
                  <Stack gap={0}>
                    {isAllClear && <EmptyState />}
                    <GovernanceTasks of={data} />
                    <PendingApprovals of={data} />
                    <Tasks of={data} />
                    <RecentActivity of={data} />
                  </Stack>
                </Grid.Col>
                {hasAside && (
                  <Grid.Col span={{ base: 12, md: 4 }}>
                    <Issues of={data} />
                    <PermitSuggestions of={data} />
                    <OverrunBudgets of={data} />
                    <MonthlySpend of={data} />
                  </Grid.Col>
                )}
              </Grid>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
