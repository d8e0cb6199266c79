;; Drives an adapter with stock dap-mode and prints one line a stop.
;; emacs --batch -l dap_mode.el   with ADAPTER, RECORDING, FLOW, LINE and SLOT in the environment.
(setq user-emacs-directory (file-name-as-directory (make-temp-file "spd-emacs" t))
      make-backup-files nil
      dap-auto-configure-features nil
      dap-auto-show-output nil
      dap-print-io nil)
(require 'dap-mode)
(require 'dap-ui)  ; dap-mode asks it which exception filters are on
(setq dap-breakpoints-file (expand-file-name "breakpoints" user-emacs-directory))
(dap-mode 1)

(defvar spd-flow (getenv "FLOW"))
(defvar spd-stops 0)
(add-hook 'dap-stopped-hook (lambda (_session) (cl-incf spd-stops)))
(dap-register-debug-provider
 "state-program"
 (lambda (conf) (plist-put conf :dap-server-path (list (getenv "ADAPTER")))))

(defun spd-wait (done what)
  "Wait until DONE says so; WHAT is waited for."
  (let ((deadline (+ (float-time) 30)))
    (while (and (< (float-time) deadline) (not (funcall done)))
      (accept-process-output nil 0.02))
    (unless (funcall done) (error "No %s" what))))

(defun spd-frame () (dap--debug-session-active-frame (dap--cur-session)))

(defun spd-settle (count)
  (spd-wait (lambda () (and (>= spd-stops count) (dap--cur-session) (spd-frame)))
            (format "stop %s" count))
  (dotimes (_ 6) (accept-process-output nil 0.02)))

(defun spd-ask (command arguments)
  "Return the body of the answer to COMMAND with ARGUMENTS."
  (let (answer)
    (dap--send-message (dap--make-request command arguments)
                       (dap--resp-handler (lambda (response) (setq answer response)))
                       (dap--cur-session))
    (spd-wait (lambda () answer) command)
    (gethash "body" answer)))

(defun spd-slots ()
  (let* ((scopes (gethash "scopes" (spd-ask "scopes" (list :frameId (gethash "id" (spd-frame))))))
         (reference (gethash "variablesReference" (elt scopes 0)))
         (found (gethash "variables" (spd-ask "variables" (list :variablesReference reference)))))
    (mapconcat (lambda (row) (format "%s=%s" (gethash "name" row) (gethash "value" row)))
               found ";")))

(defun spd-show (what)
  (princ (format "%s|%s|%s|%s|%s\n" what (gethash "name" (spd-frame)) (gethash "line" (spd-frame))
                 (with-current-buffer (find-buffer-visiting spd-flow) (line-number-at-pos))
                 (spd-slots))))

(defun spd-move (name act)
  (let ((before spd-stops))
    (funcall act)
    (spd-settle (1+ before))
    (spd-show name)))

;; dap-mode has no commands of its own for these; its step function takes the request's name.
(defun spd-step (name) (spd-move name (lambda () (dap--step name (dap--cur-session)))))

(find-file spd-flow)
(goto-char (point-min))
(forward-line (1- (string-to-number (getenv "LINE"))))
(dap-breakpoint-add)
(dap-debug (list :type "state-program" :request "launch" :name "Recorded call"
                 :recording (getenv "RECORDING") :stopAt "end"))
(spd-settle 1)
(spd-show "launch")
(let ((info (spd-ask "dataBreakpointInfo" (list :name (getenv "SLOT")))))
  (spd-ask "setDataBreakpoints"
           (list :breakpoints (vector (list :dataId (gethash "dataId" info))))))
(dotimes (_ 4) (spd-step "reverseContinue"))
(dotimes (_ 4)
  (spd-move "continue" (lambda () (let ((session (dap--cur-session)))
                                    (dap-continue session (dap--debug-session-thread-id session))))))
(spd-step "stepBack")
(spd-move "next" (lambda () (dap-next (dap--cur-session))))
(dap-disconnect (dap--cur-session))
(princ "done\n")
