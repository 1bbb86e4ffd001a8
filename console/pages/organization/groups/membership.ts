import { graphql } from '../../../api/graphql.ts';

/* Who is in a group: changed from the member's page and from the group's. */

export const addGroupMember = graphql(`
  mutation AddGroupMember($input: GroupMemberInput!) {
    addGroupMember(input: $input) {
      id
      groups {
        id
        memberCount
      }
    }
  }
`);

export const removeGroupMember = graphql(`
  mutation RemoveGroupMember($input: GroupMemberInput!) {
    removeGroupMember(input: $input) {
      id
      groups {
        id
        memberCount
      }
    }
  }
`);
