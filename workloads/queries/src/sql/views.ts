import type { Field, FieldType } from '@millrace/marketing-cloud';

/**
 * The system data views of Marketing Cloud Engagement, as Salesforce Help documents them under "Data Views" (Automation
 * Studio). They are data: the catalogue offers them, and `*` is expanded by them. Of text, only keys, ids and addresses have
 * a length: one that is too short by one character fails a run, one that is left out fails none. Addresses and phone numbers
 * are text for the same reason: what a view has kept need not pass the checks of a field of that type.
 */
export interface View {
  readonly name: string;
  readonly fields: readonly Field[];
  /** The account adds fields of its own: those here are not all of them. */
  readonly isOpen: boolean;
}

const TYPES: Readonly<Record<string, FieldType>> = {
  text: 'Text',
  number: 'Number',
  date: 'Date',
  boolean: 'Boolean',
};

/** Of engagement: who, which send, when. */
const EVENT = `AccountID number, OYBAccountID number, JobID number, ListID number, BatchID number, SubscriberID number,
  SubscriberKey text 254, EventDate date`;
const TRIGGERED = 'TriggererSendDefinitionObjectID text 36, TriggeredSendCustomerKey text';

/** `name type length`, in the order of Help, which is that of `SELECT *`. */
const DEFINITIONS: Readonly<Record<string, string>> = {
  _Sent: `${EVENT}, Domain text, ${TRIGGERED}`,
  _Open: `${EVENT}, Domain text, IsUnique boolean, ${TRIGGERED}`,
  _Click: `${EVENT}, Domain text, URL text, LinkName text, LinkContent text, IsUnique boolean, ${TRIGGERED}`,
  _Bounce: `${EVENT}, IsUnique boolean, Domain text, BounceCategoryID number, BounceCategory text,
    BounceSubcategoryID number, BounceSubcategory text, BounceTypeID number, BounceType text,
    SMTPBounceReason text, SMTPMessage text, SMTPCode number, ${TRIGGERED}, IsFalseBounce boolean`,
  _Complaint: `${EVENT}, IsUnique boolean, Domain text`,
  _Unsubscribe: `${EVENT}, IsUnique boolean, Domain text`,
  _FTAF: `AccountID number, OYBAccountID number, JobID number, ListID number, BatchID number, SubscriberID number,
    SubscriberKey text 254, TransactionTime date, Domain text, IsUnique boolean, ${TRIGGERED}`,
  _SurveyResponse: `${EVENT}, Domain text, SurveyID number, SurveyName text, IsUnique number, QuestionID number,
    QuestionName text, Question text, AnswerID number, AnswerName text, Answer text, AnswerData text,
    ${TRIGGERED}`,
  _Job: `JobID number, EmailID number, AccountID number, AccountUserID number, FromName text, FromEmail text,
    SchedTime date, PickupTime date, DeliveredTime date, EventID text, IsMultipart boolean, JobType text,
    JobStatus text, ModifiedBy number, ModifiedDate date, EmailName text, EmailSubject text, IsWrapped boolean,
    TestEmailAddr text, Category text, BccEmail text, OriginalSchedTime date, CreatedDate date, CharacterSet text,
    IPAddress text, SalesForceTotalSubscriberCount number, SalesForceErrorSubscriberCount number, SendType text,
    DynamicEmailSubject text, SuppressTracking boolean, SendClassificationType text, SendClassification text,
    ResolveLinksWithCurrentData boolean, EmailSendDefinition text, DeduplicateByEmail boolean, ${TRIGGERED}`,
  _Subscribers: `SubscriberID number, DateUndeliverable date, DateJoined date, DateUnsubscribed date, Domain text 254,
    EmailAddress text 254, BounceCount number, SubscriberKey text 254, SubscriberType text, Status text, Locale text`,
  _EnterpriseAttribute: '_SubscriberID number',
  _ListSubscribers: `AddedBy number, AddMethod text, CreatedDate date, DateUnsubscribed date, EmailAddress text 254,
    ListID number, ListName text, ListType text, Status text, SubscriberID number, SubscriberKey text 254,
    SubscriberType text`,
  _BusinessUnitUnsubscribes: `BusinessUnitID number, SubscriberID number, SubscriberKey text 254, UnsubDateUTC date,
    UnsubReason text`,
  _ReconcilableDispositionView: `JobId number, Channel number, Disposition number, MessageKey text,
    SubscriberKey text 254, SubscriberID number, ErrorCodeID number, ErrorName text, ErrorDescription text,
    StartTime date`,
  _Journey: `VersionID text 36, JourneyID text 36, JourneyName text, VersionNumber number, CreatedDate date,
    LastPublishedDate date, ModifiedDate date, JourneyStatus text`,
  _JourneyActivity: `VersionID text 36, ActivityID text 36, ActivityName text, ActivityExternalKey text,
    JourneyActivityObjectID text 36, ActivityType text`,
  _AutomationInstance: `MemberID number, AutomationName text, AutomationDescription text, AutomationCustomerKey text,
    AutomationInstanceID text 36, AutomationType text, AutomationNotificationRecipient_Complete text,
    AutomationNotificationRecipient_Error text, AutomationNotificationRecipient_Skip text,
    AutomationStepCount number, AutomationInstanceIsRunOnce boolean, FilenameFromTrigger text,
    AutomationInstanceScheduledTime_UTC date, AutomationInstanceStartTime_UTC date, AutomationInstanceEndTime_UTC date,
    AutomationInstanceStatus text, AutomationInstanceActivityErrorDetails text`,
  _AutomationActivityInstance: `MemberID number, JobID number, AutomationName text, AutomationCustomerKey text,
    AutomationInstanceID text 36, ActivityCustomerKey text, ActivityInstanceID text 36, ActivityType number,
    ActivityName text, ActivityDescription text, ActivityInstanceStep text, ActivityInstanceStartTime_UTC date,
    ActivityInstanceEndTime_UTC date, ActivityInstanceStatus text, ActivityInstanceStatusDetails text`,
  _SMSMessageTracking: `MobileMessageTrackingID number, EID number, MID number, Mobile text, MessageID number,
    KeywordID text 36, CodeID text 36, ConversationID text 36, CampaignID number, Sent boolean, Delivered boolean,
    Undelivered boolean, Outbound boolean, Inbound boolean, CreateDateTime date, ModifiedDateTime date,
    ActionDateTime date, MessageText text, IsTest boolean, MobileMessageRecurrenceID number,
    ResponseToMobileMessageTrackingID number, IsValid boolean, InvalidationCode number, SendID number,
    SendSplitID number, SendSegmentID number, SendJobID number, SendGroupID number, SendPersonID number,
    SubscriberID number, SubscriberKey text 254, SMSStandardStatusCodeId number, Description text, Name text,
    ShortCode text, SharedKeyword text, Ordinal number, FromName text, JBActivityID text 36, JBDefinitionID text 36,
    SMSJobID text 36, SMSBatchID number, ConversationStateID text 36`,
  _SMSSubscriptionLog: `LogDate date, SubscriberKey text 254, MobileSubscriptionID number,
    SubscriptionDefinitionID text 36, MobileNumber text, OptOutStatusID number, OptOutMethodID number, OptOutDate date,
    OptInStatusID number, OptInMethodID number, OptInDate date, Source number, CreatedDate date, ModifiedDate date`,
  _SubscriberSMS: `SubscriberID number, SubscriberKey text 254, MobileNumber text, TransactionalOptIn boolean,
    TransactionalOptInDate date, TransactionalOptOutDate date, MarketingOptIn boolean, MarketingOptInDate date,
    MarketingOptOutDate date, SMSCarrierName text`,
  _UndeliverableSMS: `MobileNumber text, Undeliverable boolean, BounceCount number, FirstBounceDate date, HoldDate date`,
  _MobileAddress: `_MobileID number, _ContactID number, _MobileNumber text, _Status number, _Source number,
    _SourceObjectId text, _Priority number, _Channel text, _CarrierID number, _CountryCode text,
    _CreatedDate date, _CreatedBy text, _ModifiedDate date, _ModifiedBy text, _City text, _State text,
    _ZipCode text, _FirstName text, _LastName text, _UTCOffset number, _IsHonorDST boolean`,
  _MobileSubscription: `_SubscriptionDefinitionID text, _MobileNumber text, _OptOutStatusID text, _OptOutMethodID text,
    _OptOutDate date, _OptInStatusID text, _OptInMethodID text, _OptInDate date, _Source text, _CreatedDate date,
    _CreatedBy text, _ModifiedDate date, _ModifiedBy text`,
  _PushAddress: `_ContactID number, _DeviceID text, _APID text, _Status text, _Source text, _SourceObjectId text,
    _Platform text, _PlatformVersion text, _Alias text, _OptOutStatusID text, _OptOutMethodID text, _OptOutDate date,
    _OptInStatusID text, _OptInMethodID text, _OptInDate date, _Channel text, _CreatedDate date, _CreatedBy text,
    _ModifiedDate date, _ModifiedBy text, _City text, _State text, _ZipCode text, _FirstName text, _LastName text,
    _UTCOffset text, _IsHonorDST text, _SystemToken text, _ProviderToken text, _Badge text, _LocationEnabled text,
    _TimeZone text, _Device text, _HardwareId text, _DeviceType text`,
  _PushTag: `_DeviceID text, _APID text, _Value text, _CreatedDate date, _CreatedBy text, _ModifiedDate date,
    _ModifiedBy text`,
};

/** Attributes of profiles are the account's own, as are the fields that it adds to addresses. */
const OPEN = new Set([
  '_EnterpriseAttribute',
  '_MobileAddress',
  '_MobileSubscription',
  '_PushAddress',
  '_PushTag',
]);

/** By name in lower case. */
export const VIEWS: ReadonlyMap<string, View> = new Map(
  Object.entries(DEFINITIONS).map(([name, fields]) => [
    name.toLowerCase(),
    { name, fields: fields.split(',').map(fieldOf), isOpen: OPEN.has(name) },
  ]),
);

function fieldOf(definition: string): Field {
  const [name = '', type = '', length] = definition.trim().split(/\s+/);
  const field = { name, type: TYPES[type] ?? 'Text' };
  return field.type === 'Text'
    ? { ...field, maxLength: length === undefined ? null : Number(length) }
    : field;
}
