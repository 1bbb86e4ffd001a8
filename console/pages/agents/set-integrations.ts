import { graphql } from '../../api/graphql.ts';

export const setIntegrations = graphql(`
  mutation SetIntegrations($input: UpdateConfigurationInput!) {
    updateConfiguration(input: $input) {
      id
      revision
      connections {
        id
      }
    }
  }
`);
