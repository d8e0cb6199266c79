"""Message types of the Debug Adapter Protocol, generated: do not edit.

`make protocol` writes this file with `dap_adapter/generate_protocol.py`. An absent optional field
is None and is not sent; null in an optional field of a request reads as absent.
"""


from typing import Literal, Union

from msgspec import Struct, field


class BreakpointLocation(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    line: int
    column: int | None = None
    end_column: int | None = field(name="endColumn", default=None)
    end_line: int | None = field(name="endLine", default=None)


class BreakpointLocationsResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    breakpoints: list[BreakpointLocation]


class CancelArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    progress_id: str | None = field(name="progressId", default=None)
    request_id: int | None = field(name="requestId", default=None)


class ColumnDescriptor(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    attribute_name: str = field(name="attributeName")
    label: str
    format: str | None = None
    type: Literal["string", "number", "boolean", "unixTimestampUTC"] | None = None
    width: int | None = None


class CompletionsArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    column: int
    text: str
    frame_id: int | None = field(name="frameId", default=None)
    line: int | None = None


class ConfigurationDoneArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    pass


class ContinueArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")
    single_thread: bool | None = field(name="singleThread", default=None)


class ContinueResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    all_threads_continued: bool | None = field(
        name="allThreadsContinued", default=None
    )


class ContinuedEventBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")
    all_threads_continued: bool | None = field(
        name="allThreadsContinued", default=None
    )


class DataBreakpointInfoArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    name: str
    as_address: bool | None = field(name="asAddress", default=None)
    bytes: int | None = None
    frame_id: int | None = field(name="frameId", default=None)
    mode: str | None = None
    variables_reference: int | None = field(
        name="variablesReference", default=None
    )


class DataBreakpointInfoResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    data_id: str | None = field(name="dataId")
    description: str
    access_types: list[Literal["read", "write", "readWrite"]] | None = field(
        name="accessTypes", default=None
    )
    can_persist: bool | None = field(name="canPersist", default=None)


class DisconnectArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    restart: bool | None = None
    suspend_debuggee: bool | None = field(name="suspendDebuggee", default=None)
    terminate_debuggee: bool | None = field(
        name="terminateDebuggee", default=None
    )


class ErrorMessage(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    format: str
    id: int
    send_telemetry: bool | None = field(name="sendTelemetry", default=None)
    show_user: bool | None = field(name="showUser", default=None)
    url: str | None = None
    url_label: str | None = field(name="urlLabel", default=None)
    variables: dict[str, str] | None = None


class ErrorResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    error: ErrorMessage | None = None


class ExceptionBreakpointsFilter(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    filter: str
    label: str
    condition_description: str | None = field(
        name="conditionDescription", default=None
    )
    default: bool | None = None
    description: str | None = None
    supports_condition: bool | None = field(
        name="supportsCondition", default=None
    )


class ExceptionDetails(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    evaluate_name: Union[str, None] = field(name="evaluateName", default=None)
    full_type_name: Union[str, None] = field(name="fullTypeName", default=None)
    inner_exception: Union[list["ExceptionDetails"], None] = field(
        name="innerException", default=None
    )
    message: Union[str, None] = None
    stack_trace: Union[str, None] = field(name="stackTrace", default=None)
    type_name: Union[str, None] = field(name="typeName", default=None)


class ExceptionFilterOptions(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    filter_id: str = field(name="filterId")
    condition: str | None = None
    mode: str | None = None


class ExceptionInfoArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")


class ExceptionInfoResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    break_mode: Literal["never", "always", "unhandled", "userUnhandled"] = field(
        name="breakMode"
    )
    exception_id: str = field(name="exceptionId")
    description: str | None = None
    details: ExceptionDetails | None = None


class ExceptionPathSegment(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    names: list[str]
    negate: bool | None = None


class ExitedEventBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    exit_code: int = field(name="exitCode")


class FunctionBreakpoint(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    name: str
    condition: str | None = None
    hit_condition: str | None = field(name="hitCondition", default=None)


class GotoArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    target_id: int = field(name="targetId")
    thread_id: int = field(name="threadId")


class GotoTarget(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    id: int
    label: str
    line: int
    column: int | None = None
    end_column: int | None = field(name="endColumn", default=None)
    end_line: int | None = field(name="endLine", default=None)
    instruction_pointer_reference: str | None = field(
        name="instructionPointerReference", default=None
    )


class GotoTargetsResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    targets: list[GotoTarget]


class InitializeArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    adapter_id: str = field(name="adapterID")
    client_id: str | None = field(name="clientID", default=None)
    client_name: str | None = field(name="clientName", default=None)
    columns_start_at1: bool | None = field(name="columnsStartAt1", default=None)
    lines_start_at1: bool | None = field(name="linesStartAt1", default=None)
    locale: str | None = None
    path_format: str | None = field(name="pathFormat", default=None)
    supports_ansi_styling: bool | None = field(
        name="supportsANSIStyling", default=None
    )
    supports_args_can_be_interpreted_by_shell: bool | None = field(
        name="supportsArgsCanBeInterpretedByShell", default=None
    )
    supports_invalidated_event: bool | None = field(
        name="supportsInvalidatedEvent", default=None
    )
    supports_memory_event: bool | None = field(
        name="supportsMemoryEvent", default=None
    )
    supports_memory_references: bool | None = field(
        name="supportsMemoryReferences", default=None
    )
    supports_progress_reporting: bool | None = field(
        name="supportsProgressReporting", default=None
    )
    supports_run_in_terminal_request: bool | None = field(
        name="supportsRunInTerminalRequest", default=None
    )
    supports_start_debugging_request: bool | None = field(
        name="supportsStartDebuggingRequest", default=None
    )
    supports_variable_paging: bool | None = field(
        name="supportsVariablePaging", default=None
    )
    supports_variable_type: bool | None = field(
        name="supportsVariableType", default=None
    )


class PauseArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")


class ProgressEndEventBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    progress_id: str = field(name="progressId")
    message: str | None = None


class ProgressStartEventBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    progress_id: str = field(name="progressId")
    title: str
    cancellable: bool | None = None
    message: str | None = None
    percentage: float | None = None
    request_id: int | None = field(name="requestId", default=None)


class ProgressUpdateEventBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    progress_id: str = field(name="progressId")
    message: str | None = None
    percentage: float | None = None


class RestartFrameArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    frame_id: int = field(name="frameId")


class ReverseContinueArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")
    single_thread: bool | None = field(name="singleThread", default=None)


class ScopesArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    frame_id: int = field(name="frameId")


class SetFunctionBreakpointsArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    breakpoints: list[FunctionBreakpoint]


class SourceBreakpoint(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    line: int
    column: int | None = None
    condition: str | None = None
    hit_condition: str | None = field(name="hitCondition", default=None)
    log_message: str | None = field(name="logMessage", default=None)
    mode: str | None = None


class SourceResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    content: str
    mime_type: str | None = field(name="mimeType", default=None)


class StoppedEventBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    reason: str
    all_threads_stopped: bool | None = field(
        name="allThreadsStopped", default=None
    )
    description: str | None = None
    hit_breakpoint_ids: list[int] | None = field(
        name="hitBreakpointIds", default=None
    )
    preserve_focus_hint: bool | None = field(
        name="preserveFocusHint", default=None
    )
    text: str | None = None
    thread_id: int | None = field(name="threadId", default=None)


class TerminateArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    restart: bool | None = None


class TerminatedEventBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    restart: list[object] | bool | int | float | dict[str, object] | str | None = (
        None
    )


class Thread(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    id: int
    name: str


class ThreadsResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    threads: list[Thread]


class ValueFormat(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    hex: bool | None = None


class VariablePresentationHint(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    attributes: list[str] | None = None
    kind: str | None = None
    lazy: bool | None = None
    visibility: str | None = None


class VariablesArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    variables_reference: int = field(name="variablesReference")
    count: int | None = None
    filter: Literal["indexed", "named"] | None = None
    format: ValueFormat | None = None
    start: int | None = None


class BreakpointMode(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    applies_to: list[str] = field(name="appliesTo")
    label: str
    mode: str
    description: str | None = None


class Capabilities(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    additional_module_columns: list[ColumnDescriptor] | None = field(
        name="additionalModuleColumns", default=None
    )
    breakpoint_modes: list[BreakpointMode] | None = field(
        name="breakpointModes", default=None
    )
    completion_trigger_characters: list[str] | None = field(
        name="completionTriggerCharacters", default=None
    )
    exception_breakpoint_filters: list[ExceptionBreakpointsFilter] | None = field(
        name="exceptionBreakpointFilters", default=None
    )
    support_suspend_debuggee: bool | None = field(
        name="supportSuspendDebuggee", default=None
    )
    support_terminate_debuggee: bool | None = field(
        name="supportTerminateDebuggee", default=None
    )
    supported_checksum_algorithms: list[Literal["MD5", "SHA1", "SHA256", "timestamp"]] | None = field(
        name="supportedChecksumAlgorithms", default=None
    )
    supports_ansi_styling: bool | None = field(
        name="supportsANSIStyling", default=None
    )
    supports_breakpoint_locations_request: bool | None = field(
        name="supportsBreakpointLocationsRequest", default=None
    )
    supports_cancel_request: bool | None = field(
        name="supportsCancelRequest", default=None
    )
    supports_clipboard_context: bool | None = field(
        name="supportsClipboardContext", default=None
    )
    supports_completions_request: bool | None = field(
        name="supportsCompletionsRequest", default=None
    )
    supports_conditional_breakpoints: bool | None = field(
        name="supportsConditionalBreakpoints", default=None
    )
    supports_configuration_done_request: bool | None = field(
        name="supportsConfigurationDoneRequest", default=None
    )
    supports_data_breakpoint_bytes: bool | None = field(
        name="supportsDataBreakpointBytes", default=None
    )
    supports_data_breakpoints: bool | None = field(
        name="supportsDataBreakpoints", default=None
    )
    supports_delayed_stack_trace_loading: bool | None = field(
        name="supportsDelayedStackTraceLoading", default=None
    )
    supports_disassemble_request: bool | None = field(
        name="supportsDisassembleRequest", default=None
    )
    supports_evaluate_for_hovers: bool | None = field(
        name="supportsEvaluateForHovers", default=None
    )
    supports_exception_filter_options: bool | None = field(
        name="supportsExceptionFilterOptions", default=None
    )
    supports_exception_info_request: bool | None = field(
        name="supportsExceptionInfoRequest", default=None
    )
    supports_exception_options: bool | None = field(
        name="supportsExceptionOptions", default=None
    )
    supports_function_breakpoints: bool | None = field(
        name="supportsFunctionBreakpoints", default=None
    )
    supports_goto_targets_request: bool | None = field(
        name="supportsGotoTargetsRequest", default=None
    )
    supports_hit_conditional_breakpoints: bool | None = field(
        name="supportsHitConditionalBreakpoints", default=None
    )
    supports_instruction_breakpoints: bool | None = field(
        name="supportsInstructionBreakpoints", default=None
    )
    supports_loaded_sources_request: bool | None = field(
        name="supportsLoadedSourcesRequest", default=None
    )
    supports_log_points: bool | None = field(
        name="supportsLogPoints", default=None
    )
    supports_modules_request: bool | None = field(
        name="supportsModulesRequest", default=None
    )
    supports_read_memory_request: bool | None = field(
        name="supportsReadMemoryRequest", default=None
    )
    supports_restart_frame: bool | None = field(
        name="supportsRestartFrame", default=None
    )
    supports_restart_request: bool | None = field(
        name="supportsRestartRequest", default=None
    )
    supports_set_expression: bool | None = field(
        name="supportsSetExpression", default=None
    )
    supports_set_variable: bool | None = field(
        name="supportsSetVariable", default=None
    )
    supports_single_thread_execution_requests: bool | None = field(
        name="supportsSingleThreadExecutionRequests", default=None
    )
    supports_step_back: bool | None = field(name="supportsStepBack", default=None)
    supports_step_in_targets_request: bool | None = field(
        name="supportsStepInTargetsRequest", default=None
    )
    supports_stepping_granularity: bool | None = field(
        name="supportsSteppingGranularity", default=None
    )
    supports_terminate_request: bool | None = field(
        name="supportsTerminateRequest", default=None
    )
    supports_terminate_threads_request: bool | None = field(
        name="supportsTerminateThreadsRequest", default=None
    )
    supports_value_formatting_options: bool | None = field(
        name="supportsValueFormattingOptions", default=None
    )
    supports_write_memory_request: bool | None = field(
        name="supportsWriteMemoryRequest", default=None
    )


class Checksum(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    algorithm: Literal["MD5", "SHA1", "SHA256", "timestamp"]
    checksum: str


class CompletionItem(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    label: str
    detail: str | None = None
    length: int | None = None
    selection_length: int | None = field(name="selectionLength", default=None)
    selection_start: int | None = field(name="selectionStart", default=None)
    sort_text: str | None = field(name="sortText", default=None)
    start: int | None = None
    text: str | None = None
    type: Literal["method", "function", "constructor", "field", "variable", "class", "interface", "module", "property", "unit", "value", "enum", "keyword", "snippet", "text", "color", "file", "reference", "customcolor"] | None = (
        None
    )


class CompletionsResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    targets: list[CompletionItem]


class DataBreakpoint(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    data_id: str = field(name="dataId")
    access_type: Literal["read", "write", "readWrite"] | None = field(
        name="accessType", default=None
    )
    condition: str | None = None
    hit_condition: str | None = field(name="hitCondition", default=None)


class EvaluateResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    result: str
    variables_reference: int = field(name="variablesReference")
    indexed_variables: int | None = field(name="indexedVariables", default=None)
    memory_reference: str | None = field(name="memoryReference", default=None)
    named_variables: int | None = field(name="namedVariables", default=None)
    presentation_hint: VariablePresentationHint | None = field(
        name="presentationHint", default=None
    )
    type: str | None = None
    value_location_reference: int | None = field(
        name="valueLocationReference", default=None
    )


class ExceptionOptions(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    break_mode: Literal["never", "always", "unhandled", "userUnhandled"] = field(
        name="breakMode"
    )
    path: list[ExceptionPathSegment] | None = None


class NextArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")
    granularity: Literal["statement", "line", "instruction"] | None = None
    single_thread: bool | None = field(name="singleThread", default=None)


class SetDataBreakpointsArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    breakpoints: list[DataBreakpoint]


class SetExceptionBreakpointsArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    filters: list[str]
    exception_options: list[ExceptionOptions] | None = field(
        name="exceptionOptions", default=None
    )
    filter_options: list[ExceptionFilterOptions] | None = field(
        name="filterOptions", default=None
    )


class Source(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    adapter_data: Union[
        list[object], bool, int, float, dict[str, object], str, None, None
    ] = field(name="adapterData", default=None)
    checksums: Union[list[Checksum], None] = None
    name: Union[str, None] = None
    origin: Union[str, None] = None
    path: Union[str, None] = None
    presentation_hint: Union[
        Literal["normal", "emphasize", "deemphasize"], None
    ] = field(name="presentationHint", default=None)
    source_reference: Union[int, None] = field(
        name="sourceReference", default=None
    )
    sources: Union[list["Source"], None] = None


class SourceArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    source_reference: int = field(name="sourceReference")
    source: Source | None = None


class StackFrame(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    column: int
    id: int
    line: int
    name: str
    can_restart: bool | None = field(name="canRestart", default=None)
    end_column: int | None = field(name="endColumn", default=None)
    end_line: int | None = field(name="endLine", default=None)
    instruction_pointer_reference: str | None = field(
        name="instructionPointerReference", default=None
    )
    module_id: int | str | None = field(name="moduleId", default=None)
    presentation_hint: Literal["normal", "label", "subtle"] | None = field(
        name="presentationHint", default=None
    )
    source: Source | None = None


class StackFrameFormat(ValueFormat, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    include_all: bool | None = field(name="includeAll", default=None)
    line: bool | None = None
    module: bool | None = None
    parameter_names: bool | None = field(name="parameterNames", default=None)
    parameter_types: bool | None = field(name="parameterTypes", default=None)
    parameter_values: bool | None = field(name="parameterValues", default=None)
    parameters: bool | None = None


class StackTraceArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")
    format: StackFrameFormat | None = None
    levels: int | None = None
    start_frame: int | None = field(name="startFrame", default=None)


class StackTraceResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    stack_frames: list[StackFrame] = field(name="stackFrames")
    total_frames: int | None = field(name="totalFrames", default=None)


class StepBackArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")
    granularity: Literal["statement", "line", "instruction"] | None = None
    single_thread: bool | None = field(name="singleThread", default=None)


class StepInArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")
    granularity: Literal["statement", "line", "instruction"] | None = None
    single_thread: bool | None = field(name="singleThread", default=None)
    target_id: int | None = field(name="targetId", default=None)


class StepOutArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    thread_id: int = field(name="threadId")
    granularity: Literal["statement", "line", "instruction"] | None = None
    single_thread: bool | None = field(name="singleThread", default=None)


class Variable(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    name: str
    value: str
    variables_reference: int = field(name="variablesReference")
    declaration_location_reference: int | None = field(
        name="declarationLocationReference", default=None
    )
    evaluate_name: str | None = field(name="evaluateName", default=None)
    indexed_variables: int | None = field(name="indexedVariables", default=None)
    memory_reference: str | None = field(name="memoryReference", default=None)
    named_variables: int | None = field(name="namedVariables", default=None)
    presentation_hint: VariablePresentationHint | None = field(
        name="presentationHint", default=None
    )
    type: str | None = None
    value_location_reference: int | None = field(
        name="valueLocationReference", default=None
    )


class VariablesResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    variables: list[Variable]


class Breakpoint(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    verified: bool
    column: int | None = None
    end_column: int | None = field(name="endColumn", default=None)
    end_line: int | None = field(name="endLine", default=None)
    id: int | None = None
    instruction_reference: str | None = field(
        name="instructionReference", default=None
    )
    line: int | None = None
    message: str | None = None
    offset: int | None = None
    reason: Literal["pending", "failed"] | None = None
    source: Source | None = None


class BreakpointEventBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    breakpoint: Breakpoint
    reason: str


class BreakpointLocationsArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    line: int
    source: Source
    column: int | None = None
    end_column: int | None = field(name="endColumn", default=None)
    end_line: int | None = field(name="endLine", default=None)


class EvaluateArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    expression: str
    column: int | None = None
    context: str | None = None
    format: ValueFormat | None = None
    frame_id: int | None = field(name="frameId", default=None)
    line: int | None = None
    source: Source | None = None


class GotoTargetsArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    line: int
    source: Source
    column: int | None = None


class LoadedSourcesResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    sources: list[Source]


class OutputEventBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    output: str
    category: str | None = None
    column: int | None = None
    data: list[object] | bool | int | float | dict[str, object] | str | None = (
        None
    )
    group: Literal["start", "startCollapsed", "end"] | None = None
    line: int | None = None
    location_reference: int | None = field(name="locationReference", default=None)
    source: Source | None = None
    variables_reference: int | None = field(
        name="variablesReference", default=None
    )


class Scope(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    expensive: bool
    name: str
    variables_reference: int = field(name="variablesReference")
    column: int | None = None
    end_column: int | None = field(name="endColumn", default=None)
    end_line: int | None = field(name="endLine", default=None)
    indexed_variables: int | None = field(name="indexedVariables", default=None)
    line: int | None = None
    named_variables: int | None = field(name="namedVariables", default=None)
    presentation_hint: str | None = field(name="presentationHint", default=None)
    source: Source | None = None


class ScopesResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    scopes: list[Scope]


class SetBreakpointsArguments(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    source: Source
    breakpoints: list[SourceBreakpoint] | None = None
    lines: list[int] | None = None
    source_modified: bool | None = field(name="sourceModified", default=None)


class SetBreakpointsResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    breakpoints: list[Breakpoint]


class SetDataBreakpointsResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    breakpoints: list[Breakpoint]


class SetExceptionBreakpointsResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    breakpoints: list[Breakpoint] | None = None


class SetFunctionBreakpointsResponseBody(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    breakpoints: list[Breakpoint]
