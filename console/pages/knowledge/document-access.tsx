import { Alert, List, Stack, Text } from '@mantine/core';
import { IconLock, IconLockOpen } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { MemberSelect } from '../../features/members/member-select.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { When } from '../../kit/when.tsx';
import { WebLink } from './web-link.tsx';

const query = graphql(`
  query DocumentAccess($documentId: ID!, $memberId: ID!) {
    documentAccess(documentId: $documentId, memberId: $memberId) {
      isPermitted
      obstacles
      groupIds
      sharedGroupIds
      hasAudience
      rosterReadAt
      audience {
        externalId
        title
        url
        rule
        readers
        setCount
      }
      accounts {
        externalId
        name
        email
        isAssigned
      }
      paths {
        set
        account
        accountName
        group
      }
    }
  }
`);

type Access = ResultOf<typeof query>['documentAccess'];
type Audience = NonNullable<Access['audience']>;

/** Explains why a member can or cannot read a document. */
export function DocumentAccess({ documentId }: { documentId: string }) {
  const [memberId, setMemberId] = useFilter('member');
  return (
    <Section title="Access of a member" lead="Why a member can or cannot find this document.">
      <Stack>
        <MemberSelect label="Member" value={memberId} onChange={setMemberId} clearable maw="24rem" />
        {memberId && <Explanation documentId={documentId} memberId={memberId} />}
      </Stack>
    </Section>
  );
}

function Explanation({ documentId, memberId }: { documentId: string; memberId: string }) {
  const [result, refetch] = useQuery({ query, variables: { documentId, memberId } });
  return (
    <Loaded result={result} refetch={refetch}>
      {({ documentAccess: access }) => (
        <Stack gap="sm" role="status">
          <Alert
            color={access.isPermitted ? 'sign' : 'gray'}
            icon={access.isPermitted ? <IconLockOpen aria-hidden /> : <IconLock aria-hidden />}
            title={access.isPermitted ? 'The member can read this document' : 'The member cannot read this document'}
          >
            {access.obstacles.join(' ')}
            {access.isPermitted && 'The member also needs a configuration that includes the integration.'}
          </Alert>
          <Chain of={access} />
        </Stack>
      )}
    </Loaded>
  );
}

const Chain = ({ of }: { of: Access }) => (
  <List size="sm" type="ordered" spacing={4}>
    <List.Item>
      {of.groupIds
        ? `Groups: the member is in ${of.sharedGroupIds.length} of the ${of.groupIds.length} groups that may read it.`
        : 'Groups: no restriction.'}
    </List.Item>
    {of.hasAudience && (
      <>
        <List.Item>Audience: {of.audience ? <AudienceText of={of.audience} /> : 'not listed by the source.'}</List.Item>
        <List.Item>
          Accounts of the member: {of.accounts.length === 0 && 'none.'}
          {of.accounts.map(({ externalId, name, email, isAssigned }) => (
            <Text key={externalId} span inherit display="block">
              <Untrusted text={name} /> (<Untrusted text={externalId} />
              ), {isAssigned ? 'assigned by an administrator' : <>matched by the verified address {email}</>}
            </Text>
          ))}
        </List.Item>
        {of.audience?.readers === 'sets' && <Sets audience={of.audience} paths={of.paths} />}
        <List.Item>
          Permissions last read: <When at={of.rosterReadAt} never="Never" />
        </List.Item>
      </>
    )}
  </List>
);

const AudienceText = ({ of: { title, url, rule } }: { of: Audience }) => (
  <>
    <WebLink url={url}>
      <Untrusted text={title} />
    </WebLink>
    . <Untrusted text={rule} />
  </>
);

const Sets = ({ audience, paths }: { audience: Audience; paths: Access['paths'] }) =>
  Array.from({ length: audience.setCount }, (_, set) => {
    const own = paths.filter((path) => path.set === set);
    return (
      <List.Item key={set}>
        Condition {set + 1} of {audience.setCount}: {own.length === 0 && 'not met.'}
        {own.slice(0, 5).map(({ account, accountName, group }) => (
          <Text key={`${account} ${group}`} span inherit display="block">
            <Untrusted text={accountName} /> is{' '}
            {group ? (
              <>
                in the group <Untrusted text={group} />
              </>
            ) : (
              'listed directly'
            )}
          </Text>
        ))}
      </List.Item>
    );
  });
