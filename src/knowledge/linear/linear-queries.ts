/* Linear counts points: 0.1 a field, 1 an object, times the page size; 10,000 a query, 3,000,000 an hour. */

const sharing = `id inheritsSharedAccess sharedAccess { isShared }`;
/** Sub-issues inherit sharing. Deeper levels count as not shared, which gives fewer people access. */
const sharingChain = `${sharing} team { id } parent { ${sharing} team { id } parent { ${sharing} team { id } parent { ${sharing} team { id } } } }`;
const page = `pageInfo { hasNextPage endCursor }`;
const comment = `id body createdAt user { name } botActor { name }`;

const issue = `
  ${sharingChain} identifier title description url updatedAt archivedAt trashed priorityLabel
  state { name } creator { name } assignee { name } project { name }
  labels(first: 5) { nodes { name } }
  comments(first: 5) { nodes { ${comment} } ${page} }`;

const update = `id body createdAt user { name }`;
const project = `
  id name description content url updatedAt archivedAt trashed
  status { name } lead { name } teams(first: 20) { nodes { id } ${page} }
  projectUpdates(first: 5) { nodes { ${update} } ${page} }`;

const document = `
  id title content url updatedAt archivedAt trashed creator { name }
  team { id } issue { ${sharingChain} } project { id name teams(first: 20) { nodes { id } ${page} } }`;

const list = (name: string, filter: string, fields: string) => `
  query ($first: Int!, $after: String, $filter: ${filter}, $orderBy: PaginationOrderBy) {
    page: ${name}(first: $first, after: $after, filter: $filter, orderBy: $orderBy, includeArchived: true) {
      nodes { ${fields} } ${page}
    }
  }`;

export const linearQueries = {
  identity: `{ viewer { id email guest } organization { id name urlKey } }`,
  users: `query ($first: Int!, $after: String) {
    page: users(first: $first, after: $after) { nodes { id name email active guest app } ${page} }
  }`,
  teams: `query ($first: Int!, $after: String) {
    page: teams(first: $first, after: $after) { nodes { id key name visibility parent { id } } ${page} }
  }`,
  members: `query ($id: String!, $first: Int!, $after: String) {
    team(id: $id) { page: members(first: $first, after: $after) { nodes { id } ${page} } }
  }`,
  issues: list('issues', 'IssueFilter', issue),
  projects: list('projects', 'ProjectFilter', project),
  documents: list('documents', 'DocumentFilter', document),
  sharedIssues: list(
    'issues',
    'IssueFilter',
    `${sharingChain} identifier title url sharedAccess { isShared sharedWithUsers { id } }`,
  ),
  projectTeams: list('projects', 'ProjectFilter', `id name url teams(first: 20) { nodes { id } ${page} }`),
  changedComments: list('comments', 'CommentFilter', `id issue { id }`),
  changedUpdates: `query ($first: Int!, $after: String, $filter: ProjectUpdateFilter, $orderBy: PaginationOrderBy) {
    page: projectUpdates(first: $first, after: $after, filter: $filter, orderBy: $orderBy) { nodes { id project { id } } ${page} }
  }`,
  comments: `query ($id: String!, $first: Int!, $after: String) {
    issue(id: $id) { page: comments(first: $first, after: $after) { nodes { ${comment} } ${page} } }
  }`,
  updates: `query ($id: String!, $first: Int!, $after: String) {
    project(id: $id) { page: projectUpdates(first: $first, after: $after) { nodes { ${update} } ${page} } }
  }`,
  issue: `query ($id: String!) {
    issue(id: $id) { id identifier title url team { id key states(first: 100) { nodes { id name } } } state { id name } }
  }`,
  comment: `query ($id: String!) { comment(id: $id) { id url } }`,
  createIssue: `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier url } } }`,
  createComment: `mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id url } } }`,
  setState: `mutation ($id: String!, $stateId: String!) {
    issueUpdate(id: $id, input: { stateId: $stateId }) { success issue { id identifier url } }
  }`,
} as const;
