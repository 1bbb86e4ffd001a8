import { Anchor, Button, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useMay } from '../../kit/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';

const visibilityQuery = graphql(`
  query SpendVisibility {
    mySpendView {
      seesEverybody
      groups {
        id
        name
      }
    }
    spendPseudonymsShown
  }
`);
type View = NonNullable<ResultOf<typeof visibilityQuery>['mySpendView']>;

/** Shows its content only to members who may see individual usage, with a note on whose, and that access is recorded. */
export function IndividualUsageGuard({ children }: { children: ReactNode }) {
  const [result, refetch] = useQuery({ query: visibilityQuery });
  return (
    <Loaded result={result} refetch={refetch}>
      {({ mySpendView: view, spendPseudonymsShown }) =>
        view && (view.seesEverybody || view.groups.length > 0) ? (
          <>
            {children}
            <Text size="xs" c="dimmed" mt="md">
              <VisiblePeople view={view} /> {spendPseudonymsShown && 'Names are replaced by pseudonyms. '}
              Access to individual usage is recorded in the audit log.
            </Text>
          </>
        ) : (
          <NoAccess isAnalyst={view !== null} />
        )
      }
    </Loaded>
  );
}

const VisiblePeople = ({ view: { seesEverybody, groups } }: { view: View }) =>
  seesEverybody ? (
    'You can see everyone.'
  ) : (
    <>
      You can see people in{' '}
      {groups.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <Untrusted text={name} />
        </span>
      ))}
      .
    </>
  );

function NoAccess({ isAnalyst }: { isAnalyst: boolean }) {
  const may = useMay();
  return (
    <Empty
      icon={IconEyeOff}
      title="You don't have access to individual usage"
      action={
        may('spend:manage') && (
          <Button component={Link} to="/spend/privacy" variant="light">
            Manage access
          </Button>
        )
      }
    >
      {isAnalyst
        ? 'No groups are assigned to you yet. Ask an administrator to assign groups.'
        : 'Analysts see individual usage of the groups that an administrator assigns to them. '}
      {!isAnalyst && (
        <>
          Totals are available under{' '}
          <Anchor component={Link} to="/spend/groups" inherit underline="always">
            Groups
          </Anchor>
          . You can read your own usage with any product that you connected.
        </>
      )}
    </Empty>
  );
}
